# An exception group with notes and causes, raised while a loader is open, is printed by the interpreter.
# needs: python>=3.11
# ends: 1
import torch
from torch import nn
from torch.utils.data import DataLoader

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Linear(2, 1)
errors = []
for x in DataLoader([torch.ones(2), torch.ones(3)], batch_size=1):
    try:
        torch.mv(net.weight, x[0])
    except RuntimeError as e:
        e.add_note("in the second batch")
        errors.append(e)
    try:
        torch.optim.SGD([], lr=0.1)
    except ValueError as e:
        errors.append(e)
        if len(errors) == 3:
            raise ExceptionGroup("training failed", errors) from errors[0]
