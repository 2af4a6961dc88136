# torch.profiler counts the operators of three training steps; the names and their counts are printed.
# needs: torch>=1.9
import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile, record_function, schedule
from torch.utils.data import DataLoader

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
loader = DataLoader(torch.randn(6, 2), batch_size=2)


def step(x):
    with record_function("my step"):
        opt.zero_grad()
        loss = nn.functional.mse_loss(net(x), x[:, :1])
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()


step(torch.ones(1, 2))
with profile(activities=[ProfilerActivity.CPU]) as prof:
    for x in loader:
        step(x)
for e in sorted(prof.key_averages(), key=lambda e: e.key):
    print(e.key, e.count)
traces = []
with profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=1, warmup=0, active=1), on_trace_ready=lambda p: traces.append(len(p.events()))) as prof:
    for x in loader:
        step(x)
        prof.step()
print(traces)
