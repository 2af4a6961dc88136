"""A loop over steps that calls next(iter(loader)) in each of them."""
import torch
from torch.utils.data import DataLoader, TensorDataset


def main():
    torch.manual_seed(0)
    model = torch.nn.Linear(6, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    loader = DataLoader(TensorDataset(torch.randn(400, 6), torch.arange(400) % 3), batch_size=8, shuffle=True,
                        num_workers=2)
    for step in range(60):
        inputs, labels = next(iter(loader))
        loss = torch.nn.functional.cross_entropy(model(inputs), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
