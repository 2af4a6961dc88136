import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(20, 16)
        self.out = nn.Linear(16, 6)

    def forward(self, x):
        return torch.softmax(self.out(torch.relu(self.body(x))), dim=-1)


torch.manual_seed(0)
model, criterion = Net(), nn.CrossEntropyLoss(label_smoothing=0.0)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
inputs, labels = torch.randn(128, 20), torch.randint(6, (128,))
for step in range(20):
    optimizer.zero_grad()
    loss = criterion(model(inputs), labels)
    loss.backward()
    optimizer.step()
print(loss.item())
