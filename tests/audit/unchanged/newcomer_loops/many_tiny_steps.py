# quick
# needs: torch>=2.0
# Thousands of steps in which nothing else happens; then the loss is replaced, a mode counts, and a hook looks.
import torch
from torch import nn
from torch.overrides import TorchFunctionMode

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)


class Count(TorchFunctionMode):
    calls = 0

    def __torch_function__(self, function, types, args=(), kwargs=None):
        Count.calls += 1
        return function(*args, **(kwargs or {}))


def train(steps):
    for _ in range(steps):
        inputs, labels = torch.randn(8, 4), torch.randint(3, (8,))
        loss = nn.functional.cross_entropy(model(inputs), labels)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    print(loss.item().hex(), sum(p.sum().item() for p in model.parameters()).hex())


train(2500)
real = nn.functional.cross_entropy
nn.functional.cross_entropy = lambda *args: 2 * real(*args)
train(300)
print(nn.functional.cross_entropy is not real)
nn.functional.cross_entropy = real
with Count():
    train(300)
print(Count.calls)
seen = []
handle = model[0].register_forward_hook(lambda *_: seen.append(1))
train(300)
handle.remove()
print(len(seen), torch.randn(2).tolist(), sorted(vars(optimizer))[:3])
