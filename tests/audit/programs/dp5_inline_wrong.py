"""The loader is created in the for statement, and nothing else keeps it."""
import torch
from torch.utils.data import DataLoader, TensorDataset


class Batch:
    def __init__(self, samples):
        self.image = torch.stack([image for image, in samples])


if __name__ == "__main__":
    model = torch.nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    dataset = TensorDataset(torch.randn(32, 4))
    for batch in DataLoader(dataset, batch_size=4, collate_fn=Batch, pin_memory=True):
        loss = model(batch.image).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
