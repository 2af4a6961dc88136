# needs: torch>=2.1
# FlopCounterMode around a training.
import torch
from torch.utils.flop_counter import FlopCounterMode

model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Linear(8, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
with FlopCounterMode(display=False) as flops:
    for _ in range(4):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(torch.ones(4, 8)), torch.tensor([0, 1, 0, 1])).backward()
        optimizer.step()
print(flops.get_total_flops(), sorted(flops.get_flop_counts()))
