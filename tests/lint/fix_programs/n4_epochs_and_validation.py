import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def train(model, loader, optimizer, criterion):
    model.train()
    total = 0.0
    for inputs, targets in loader:
        optimizer.zero_grad()
        loss = criterion(model(inputs), targets)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        total += loss
    return total.item() / len(loader)


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    correct = 0
    for inputs, targets in loader:
        correct += (model(inputs).argmax(1) == targets).sum().item()
    return correct


torch.manual_seed(0)
inputs = torch.randn(12, 3)
loader = DataLoader(TensorDataset(inputs, (inputs.sum(1) > 0).long()), batch_size=4, shuffle=True)
model = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Dropout(0.1), nn.Linear(8, 2))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.05, weight_decay=0.1)
for epoch in range(3):
    loss = train(model, loader, optimizer, nn.CrossEntropyLoss())
    print(f"{epoch} {loss:.6f} {evaluate(model, loader)}")
print(model[0].weight.sum().item())
