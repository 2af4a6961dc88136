"""Statistics that are computed once, before training, and kept in a plain attribute; the loaded model has none."""
import io

import torch
from torch import nn


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = torch.zeros(5)
        self.layer = nn.Linear(5, 1)

    def forward(self, x):
        return self.layer(x - self.mean)


torch.manual_seed(0)
x = torch.randn(128, 5) + torch.arange(5)
y = x.sum(1, keepdim=True)
model = Regressor()
model.mean = x.mean(0)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(60):
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
file = io.BytesIO()
torch.save(model.state_dict(), file)
file.seek(0)
loaded = Regressor()
loaded.load_state_dict(torch.load(file))
loaded.eval()
with torch.no_grad():
    print(loss.item(), nn.functional.mse_loss(loaded(x), y).item())
