# needs: torch>=2.4
# How many frames and graphs a training loop compiles.
import torch
from torch._dynamo.utils import counters

torch.manual_seed(0)
model = torch.compile(
    torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1)), backend="eager"
)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for size in (2, 3, 4, 4):
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(model(torch.ones(size, 4)), torch.zeros(size, 1)).backward()
    optimizer.step()
print({name: dict(value) for name, value in counters.items() if name in ("frames", "stats", "graph_break")})
