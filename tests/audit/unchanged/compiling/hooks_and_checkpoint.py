# needs: torch>=2.4
# A compiled model with hooks and recomputation, and a compiled function that calls backward.
import torch
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
seen = []
model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
model[1].register_forward_hook(lambda module, inputs, output: seen.append(1))


@torch.compile(backend="eager")
def loss(x):
    return checkpoint(model, x, use_reentrant=False).pow(2).mean()


for _ in range(2):
    model.zero_grad()
    value = loss(torch.ones(2, 3))
    value.backward()
    print(value.item().hex(), model[0].weight.grad.sum().item().hex())
print(len(seen) > 0)
