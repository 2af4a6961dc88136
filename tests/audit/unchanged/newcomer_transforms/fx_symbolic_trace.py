# torch.fx traces a model into Python code and rewrites it; the code and the shapes of a propagated run are printed.
# needs: torch>=1.9
import torch
from torch import fx, nn

torch.manual_seed(0)
torch.set_num_threads(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.seq = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
        self.out = nn.Linear(3, 1)

    def forward(self, x, *, scale: float = 2.0):
        return self.out(self.seq(x)).sum(dim=-1) * scale


net = Net()
gm = fx.symbolic_trace(net)
print(gm.code)
for node in gm.graph.nodes:
    if node.op == "call_module" and node.target == "seq.1":
        node.target = "act"
gm.add_submodule("act", nn.Tanh())
gm.recompile()
opt = torch.optim.SGD(gm.parameters(), lr=0.1)
for _ in range(3):
    opt.zero_grad()
    loss = gm(torch.ones(1, 2)).sum()
    loss.backward()
    opt.step()
    print(loss.item().hex())


class Shapes(fx.Interpreter):
    def run_node(self, n):
        r = super().run_node(n)
        print(n.op, n.target if n.op != "call_function" else n.target.__name__, getattr(r, "shape", r))
        return r


Shapes(gm).run(torch.ones(2, 2))


class Leaf(fx.Tracer):
    def is_leaf_module(self, m, name):
        print("leaf?", name)
        return isinstance(m, nn.Sequential)


print([n.name for n in Leaf().trace(net).nodes])
