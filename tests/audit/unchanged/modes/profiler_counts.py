# needs: torch>=2.1
# The profiler counts the operations of each kind.
import torch
from torch.profiler import ProfilerActivity, profile
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.BatchNorm1d(3), torch.nn.Linear(3, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data = TensorDataset(torch.randn(32, 3), torch.randint(2, (32,)))
with profile(activities=[ProfilerActivity.CPU]) as profiled:
    for x, y in DataLoader(data, 8):
        loss = torch.nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
for event in sorted(profiled.key_averages(), key=lambda event: event.key):
    print(event.key, event.count)
