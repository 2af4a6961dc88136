# quick
# needs: torch>=2.1
# A TorchFunctionMode counts the functions that a training calls.
import collections

import torch
from torch.overrides import TorchFunctionMode, resolve_name
from torch.utils.data import DataLoader, TensorDataset

counts = collections.Counter()


class Count(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        counts[resolve_name(func) or str(func)] += 1
        return func(*args, **(kwargs or {}))


torch.manual_seed(0)
with Count():
    model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Dropout(0.1), torch.nn.Linear(3, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    data = TensorDataset(torch.randn(32, 3), torch.randint(2, (32,)))
    for x, y in DataLoader(data, 8, shuffle=True):
        loss = torch.nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
for name, count in sorted(counts.items()):
    print(name, count)
