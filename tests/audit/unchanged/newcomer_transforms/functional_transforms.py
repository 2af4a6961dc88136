# grad, vmap, jacrev, functional_call and per-sample gradients with a model that is also trained normally.
# needs: torch>=2.0
import torch
from torch import nn
from torch.func import functional_call, grad, hessian, jacrev, jvp, stack_module_state, vmap

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(4, 2), torch.randn(4, 1)


def loss(params, a, b):
    return nn.functional.mse_loss(functional_call(net, params, (a,)), b)


for _ in range(2):
    params = {k: v.detach() for k, v in net.named_parameters()}
    per_sample = vmap(grad(loss), in_dims=(None, 0, 0))(params, x, y)
    opt.zero_grad()
    nn.functional.mse_loss(net(x), y).backward()
    print({k: torch.allclose(v.mean(0), dict(net.named_parameters())[k].grad, atol=1e-6) for k, v in per_sample.items()})
    opt.step()
print(jacrev(net)(x[0]).sum().item().hex(), hessian(lambda v: net(v).sum())(x[0]).shape)
print([t.shape for t in jvp(net, (x[0],), (torch.ones(2),))])
nets = [nn.Linear(2, 1) for _ in range(3)]
params, buffers = stack_module_state(nets)
base = nn.Linear(2, 1, device="meta")
print(vmap(lambda p, b, v: functional_call(base, (p, b), (v,)), (0, 0, None))(params, buffers, x).shape)


class Printing(nn.Module):
    def forward(self, v):
        print(type(v).__name__, v.dim(), torch._C._functorch.is_batchedtensor(v))
        return v.sin()


vmap(Printing())(x)
print(vmap(nn.Dropout(0.5), randomness="different")(torch.ones(3, 4)).sum().item().hex())
try:
    vmap(lambda v: v.item())(x[:, 0])
except RuntimeError as e:
    print(str(e)[:60])
