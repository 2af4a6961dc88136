# needs: torch>=2.1
# A training under FakeTensorMode, to estimate memory.
import torch
from torch._subclasses import FakeTensorMode

with FakeTensorMode():
    model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.BatchNorm1d(3), torch.nn.Linear(3, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, y = torch.zeros(4, 3), torch.zeros(4, dtype=torch.long)
    for _ in range(3):
        loss = torch.nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(type(loss).__name__, tuple(model[0].weight.grad.shape))
