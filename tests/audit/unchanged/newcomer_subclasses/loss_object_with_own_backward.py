# Losses that are not plain tensors: an object with its own backward, a dict, a subclass that overrides backward and item.
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


class Loss:
    def __init__(self, t):
        self.t = t

    def backward(self, scale=1):
        print("own backward", scale)
        (self.t * scale).backward()


class Scalar(torch.Tensor):
    def backward(self, *a, **k):
        print("scalar backward", len(a), sorted(k))
        return super().backward(*a, **k)

    def item(self):
        print("scalar item")
        return super().item()

    def __float__(self):
        print("float")
        return super().__float__()

    def __repr__(self):
        print("repr")
        return "Scalar"


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(2, 1)

    def forward(self, x, kind):
        s = self.lin(x).sum()
        return {"obj": Loss(s), "dict": {"loss": s}, "scalar": s.as_subclass(Scalar)}[kind]


net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for kind in ("obj", "dict", "scalar", "scalar"):
    out = net(torch.ones(1, 2), kind)
    opt.zero_grad()
    if kind == "dict":
        torch.autograd.backward([out["loss"], out["loss"] * 2], inputs=list(net.parameters()), retain_graph=False)
    elif kind == "obj":
        out.backward(scale=2)
    else:
        out.backward(retain_graph=True)
        print(out.backward() is None)
    opt.step()
    print(kind, net.lin.weight.tolist())
out = net(torch.ones(1, 2), "scalar")
print(out.item())
