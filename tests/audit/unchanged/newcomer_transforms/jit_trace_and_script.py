# Traces and scripts modules before and after training; the graph's operators and the outputs are printed.
# needs: torch>=2.0
import os
import warnings

import torch
from torch import nn

warnings.simplefilter("ignore")
torch.manual_seed(0)
torch.set_num_threads(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(2, 3), nn.Linear(3, 1)

    def forward(self, x):
        h = torch.relu(self.a(x))
        if h.sum() > 1e9:
            h = h * 2
        return self.b(h)


net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    x = torch.randn(4, 2)
    traced = torch.jit.trace(net, x)
    scripted = torch.jit.script(net)
    for m in (net, traced, scripted):
        opt.zero_grad()
        loss = m(x).pow(2).sum()
        loss.backward()
        opt.step()
        print(type(m).__name__, loss.item().hex())
print(sorted(n.kind() for n in traced.inlined_graph.nodes()))
print(scripted.code)
traced.save("net.pt")
again = torch.jit.load("net.pt")
print(torch.equal(again(x), net(x)), [type(c).__name__ for c in again.children()])
os.remove("net.pt")  # it holds the source lines of every frame
print(len(list(torch.jit.freeze(torch.jit.script(net.eval())).graph.nodes())) > 0)
