# torch.jit.trace_module with several methods and a check of the trace.
import torch
import torch.nn.functional as F


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 3)

    def forward(self, x):
        return F.mse_loss(self.layer(x), torch.ones(2, 3))

    def encode(self, x):
        return self.layer(x).relu()


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    net(torch.ones(2, 3)).backward()
    optimizer.step()
traced = torch.jit.trace_module(net, {"forward": torch.ones(2, 3), "encode": torch.ones(2, 3)})
print(traced.encode(torch.ones(2, 3)).shape, [node.kind() for node in traced.graph.nodes()][-1])
