# torch.compile with its own backend counts graphs, graph breaks and recompilations of a training loop.
# needs: torch>=2.4
import warnings

import torch
from torch import nn

warnings.simplefilter("ignore")
torch.manual_seed(0)
torch.set_num_threads(1)
graphs = []


def backend(gm, inputs):
    graphs.append([n.target if isinstance(n.target, str) else getattr(n.target, "__name__", str(n.target)) for n in gm.graph.nodes])
    return gm.forward


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(2, 2)

    def forward(self, x):
        h = self.lin(x).relu()
        return self.lin(h)


net = Net()
compiled = torch.compile(net, backend=backend, dynamic=False)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for size in (2, 2, 3):
    opt.zero_grad()
    loss = compiled(torch.ones(size, 2)).sum()
    loss.backward()
    opt.step()
    print(size, loss.item().hex(), len(graphs))
for g in graphs:
    print(g)


@torch.compile(backend=backend, fullgraph=True)
def whole(x):
    return nn.functional.cross_entropy(net(x), torch.zeros(2, dtype=torch.long))


graphs.clear()
print(whole(torch.ones(2, 2)).item().hex(), graphs)
print(torch._dynamo.explain(net)(torch.ones(2, 2)).graph_break_count)
print(type(compiled).__name__, compiled._orig_mod is net, sorted(compiled.state_dict()))
