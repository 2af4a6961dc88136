# needs: torch>=2.1
# vmap of a loss, per-sample gradients, and a hessian.
import torch
import torch.nn.functional as F
from torch.func import functional_call, grad, hessian, jvp, vmap

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
state = dict(model.named_parameters())
x, y = torch.randn(4, 3), torch.randn(4, 1)


def loss(state, x, y):
    return F.mse_loss(functional_call(model, state, (x.unsqueeze(0),)), y.unsqueeze(0))


each = vmap(grad(loss), in_dims=(None, 0, 0))(state, x, y)
print([value.shape for value in each.values()], each["0.bias"].sum().item().hex())
print(hessian(lambda v: F.mse_loss(v.tanh(), torch.zeros(3)))(torch.ones(3)).diagonal().tolist())
value, tangent = jvp(lambda v: F.l1_loss(v, torch.zeros(3)), (torch.ones(3),), (torch.ones(3),))
print(value.item(), tangent.item())
