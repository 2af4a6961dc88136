# create_graph, grad of grad, gradcheck and functional.jacobian.
# quick
import torch
import torch.nn.functional as F

x = torch.arange(1.0, 4.0, dtype=torch.double, requires_grad=True)
(first,) = torch.autograd.grad(F.mse_loss(x.pow(2), torch.zeros(3, dtype=torch.double)), x, create_graph=True)
(second,) = torch.autograd.grad(first.sum(), x, retain_graph=True)
print(first.tolist(), second.tolist())
print(torch.autograd.gradcheck(lambda v: F.smooth_l1_loss(v, torch.zeros(3, dtype=torch.double)), x))
print(torch.autograd.functional.jacobian(lambda v: F.softmax(v, 0), x.detach()).sum().item() < 1e-12)
first.sum().backward()
print(x.grad.tolist())
