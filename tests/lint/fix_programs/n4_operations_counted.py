import torch
from torch import nn
from torch.overrides import TorchFunctionMode


class Names(TorchFunctionMode):
    def __init__(self):
        super().__init__()
        self.names = set()

    def __torch_function__(self, function, types, args=(), kwargs=None):
        self.names.add(getattr(function, "__name__", ""))
        return function(*args, **(kwargs or {}))


model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
total = 0.0
with Names() as mode:
    for _ in range(2):
        optimizer.zero_grad()
        loss = model(torch.ones(1, 2)).sum()
        loss.backward()
        optimizer.step()
        total += loss
print("detach" in mode.names, total.item() > 1e9)
