import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
backbone = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())


class Finetuned(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone, self.head = backbone, nn.Linear(8, 2)
        for parameter in self.backbone.parameters():
            parameter.requires_grad = False

    def forward(self, images):
        return self.head(self.backbone(images))


model = Finetuned()
loader = DataLoader(TensorDataset(torch.rand(64, 3, 12, 12), torch.randint(2, (64,))), batch_size=8)
optimizer = torch.optim.Adam(model.head.parameters(), lr=1e-2)
model.train()
for images, labels in loader:
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(images), labels).backward()
    optimizer.step()
