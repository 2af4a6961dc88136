# Everything of a training is pickled in the middle of it: loader, sampler, optimizer, scheduler, hooks, iterator.
import copy
import pickle

import torch
from torch.utils.data import DataLoader, RandomSampler, TensorDataset


def look(module, inputs, output):
    return None


torch.manual_seed(0)
data = TensorDataset(torch.randn(8, 2))
sampler = RandomSampler(data, generator=torch.Generator().manual_seed(1))
loader = DataLoader(data, 2, sampler=sampler)
model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
model.register_forward_hook(look)
optimizer = torch.optim.Adam(model.parameters())
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
iterator = iter(loader)
model(next(iterator)[0]).sum().backward()
optimizer.step()
scheduler.step()
for name, value in (("loader", loader), ("model", model), ("optimizer", optimizer), ("scheduler", scheduler)):
    try:
        again = pickle.loads(pickle.dumps(value))
        print(name, type(again).__name__, sorted(vars(again)) == sorted(vars(value)))
        print(name, sorted(vars(copy.deepcopy(value))))
    except Exception as error:
        print(name, type(error).__name__, str(error)[:60])
