# torch.export of a trained model, FakeTensor propagation and make_fx: the operators and shapes that they record.
# needs: torch>=2.4
import warnings

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx

warnings.simplefilter("ignore")
torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.Dropout(0.5), nn.Linear(3, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    opt.zero_grad()
    nn.functional.cross_entropy(net(torch.randn(4, 2)), torch.tensor([0, 1, 0, 1])).backward()
    opt.step()
net.eval()
program = torch.export.export(net, (torch.ones(2, 2),))
print([str(n.target) for n in program.graph.nodes if n.op == "call_function"])
print(torch.equal(program.module()(torch.ones(2, 2)), net(torch.ones(2, 2))), sorted(program.state_dict))
with FakeTensorMode() as mode:
    fake = nn.Linear(10**5, 10**5)
    out = fake(torch.empty(7, 10**5))
    loss = out.sum()
    loss.backward()
    print(type(out).__name__, tuple(out.shape), type(fake.weight.grad).__name__, out.device)
    o = torch.optim.SGD(fake.parameters(), lr=0.1)
    o.step()
gm = make_fx(lambda x: nn.functional.cross_entropy(net(x), torch.tensor([0, 1])))(torch.ones(2, 2))
print([str(n.target) for n in gm.graph.nodes if n.op == "call_function"])
