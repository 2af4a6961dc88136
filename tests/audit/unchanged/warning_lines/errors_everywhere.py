# All warnings are errors, from the start.
# run: python -W error FILE
import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
model = torch.nn.Sequential(
    torch.nn.Linear(2, 4), torch.nn.BatchNorm1d(4), torch.nn.Dropout(0.1), torch.nn.Linear(4, 1)
)
optimizer = torch.optim.Adam(model.parameters())
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
for _ in range(2):
    for x, y in DataLoader(TensorDataset(torch.randn(16, 2), torch.randn(16, 1)), 4, num_workers=1):
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
    scheduler.step()
torch.save(model.state_dict(), "model.pt")
print(sorted(torch.load("model.pt")))
