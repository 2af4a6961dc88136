import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
data = TensorDataset(torch.randn(320, 10), torch.randint(3, (320,)))
train_set, val_set = torch.utils.data.random_split(data, [256, 64])
train_loader = DataLoader(train_set, batch_size=32, shuffle=True)
val_loader = DataLoader(val_set, batch_size=32)
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Dropout(0.3), nn.Linear(32, 3))
optimizer = torch.optim.Adam(model.parameters())


def accuracy():
    right = 0
    model.eval()
    with torch.no_grad():
        for inputs, labels in val_loader:
            right += (model(inputs).argmax(1) == labels).sum().item()
    model.train()
    return right / len(val_set)


for epoch in range(3):
    for inputs, labels in train_loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(inputs), labels).backward()
        optimizer.step()
    print(epoch, accuracy())
