# needs: torch>=2.1
# Each parameter has its own optimizer that steps inside backward, in a post-accumulate hook; gradients are freed there.
import torch
from torch import nn
from torch.autograd.graph import register_multi_grad_hook

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
opts = {p: torch.optim.SGD([p], lr=0.1) for p in net.parameters()}
names = {p: n for n, p in net.named_parameters()}
log = []


def step(p):
    log.append(names[p])
    opts[p].step()
    opts[p].zero_grad()


for p in net.parameters():
    p.register_post_accumulate_grad_hook(step)
handle = register_multi_grad_hook(list(net.parameters()), lambda grads: log.append(len(grads)))
for i in range(3):
    log.clear()
    loss = net(torch.full((1, 2), float(i))).sum()
    node = loss.grad_fn.next_functions[0][0]
    node.register_hook(lambda gi, go: log.append("node"))
    loss.backward()
    print(loss.item().hex(), log, [p.grad for p in net.parameters()])
handle.remove()
print([len(p._post_accumulate_grad_hooks) for p in net.parameters()])
