"""Point clouds in pairs: the convolutions see many points, the layer behind the pooling two values."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class PointNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.points = nn.Sequential(nn.Conv1d(3, 16, 1), nn.BatchNorm1d(16), nn.ReLU(), nn.Conv1d(16, 32, 1))
        self.hidden, self.norm, self.out = nn.Linear(32, 32), nn.BatchNorm1d(32), nn.Linear(32, 2)

    def forward(self, clouds):
        pooled = self.points(clouds).max(2).values
        return self.out(torch.relu(self.norm(self.hidden(pooled))))


def main():
    torch.manual_seed(0)
    dataset = TensorDataset(torch.randn(40, 3, 64), torch.randint(2, (40,)))
    model = PointNet()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for clouds, labels in DataLoader(dataset, batch_size=2, shuffle=True):
        loss = nn.functional.cross_entropy(model(clouds), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
