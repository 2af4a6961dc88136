"""8-bit images are normalised in the dataset, and again by the model."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

MEAN, STD = torch.tensor([0.485, 0.456, 0.406]).view(3, 1, 1), torch.tensor([0.229, 0.224, 0.225]).view(3, 1, 1)


class Images(Dataset):
    def __init__(self):
        self.pixels = torch.randint(0, 256, (64, 3, 16, 16), dtype=torch.uint8)

    def __len__(self):
        return len(self.pixels)

    def __getitem__(self, index):
        return (self.pixels[index] / 255 - MEAN) / STD, index % 2


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", MEAN)
        self.register_buffer("std", STD)
        self.layers = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 196, 2))

    def forward(self, images):
        return self.layers((images - self.mean) / self.std)


torch.manual_seed(0)
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
for epoch in range(2):
    for images, labels in DataLoader(Images(), batch_size=16, shuffle=True):
        loss = nn.functional.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
