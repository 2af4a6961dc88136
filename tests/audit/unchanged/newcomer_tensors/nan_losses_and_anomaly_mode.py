# Losses that become nan and inf, anomaly mode, gradient scaling with skipped steps, double backward and accumulated nans.
# needs: torch>=1.9
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for value in (1.0, float("nan"), float("inf"), 1.0):
    before = net.weight.detach().clone()
    loss = net(torch.full((1, 2), value)).sum()
    opt.zero_grad()
    loss.backward()
    norm = nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    if torch.isfinite(norm):
        opt.step()
    print(value, loss.item(), norm.item(), torch.equal(before, net.weight))
try:
    nn.utils.clip_grad_norm_(net.parameters(), 1.0, error_if_nonfinite=True)
    net.weight.grad.fill_(float("nan"))
    nn.utils.clip_grad_norm_(net.parameters(), 1.0, error_if_nonfinite=True)
except RuntimeError as e:
    print(str(e)[:50])
x = torch.ones(2, requires_grad=True)
(g,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
penalty = (g.norm() - 1) ** 2
penalty.backward()
print(x.grad.tolist(), g.grad_fn is not None)
try:
    with torch.autograd.set_detect_anomaly(True):
        y = torch.zeros(1, requires_grad=True)
        (torch.sqrt(y) * 0).sum().backward()
except RuntimeError as e:
    print(str(e)[:70])
x.grad = None
out = (x * 2).sum()
out.backward(retain_graph=True)
out.backward(gradient=torch.tensor(3.0), inputs=[x])
print(x.grad.tolist())
try:
    out.backward()
    out.backward()
except RuntimeError as e:
    print(str(e)[:50])
w = torch.ones(2, requires_grad=True)
h = w * 2
h.retain_grad()
h.register_hook(lambda grad: grad * 10)
h.sum().backward()
print(h.grad.tolist(), w.grad.tolist(), w._backward_hooks)
