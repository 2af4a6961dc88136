# Weak references to the batch, the output, the loss, the iterator, the loader, the model and the optimizer die at del.
import gc
import weakref

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)
torch.set_num_threads(1)
gc.disable()  # only reference counts count
dead = []


class Data(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        return torch.full((2,), float(i))

    def __del__(self):
        dead.append("dataset __del__")


def watch(name, o):
    weakref.finalize(o, dead.append, name)


model = nn.Linear(2, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(Data(), batch_size=2)
it = iter(loader)
for step in range(2):
    x = next(it)
    watch(f"batch {step}", x)
    out = model(x)
    watch(f"out {step}", out)
    loss = out.sum()
    watch(f"loss {step}", loss)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, dead)
for name in ("loss", "out", "x", "it", "loader"):
    if name in ("it", "loader"):
        watch(name, globals()[name])
    del globals()[name]
    print("del", name, dead)
watch("weight", model.weight)
watch("model", model)
del model
print(dead)
del opt
gc.collect()
print(dead)
