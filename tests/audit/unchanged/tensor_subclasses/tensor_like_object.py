# An object that is no tensor, but has __torch_function__, as loss arguments and batches.
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader


class Like:
    def __init__(self, value):
        self.value = value

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        print(func.__name__)
        args = [a.value if isinstance(a, Like) else a for a in args]
        return func(*args, **(kwargs or {}))

    def __getattr__(self, name):
        print("asked for", name)
        raise AttributeError(name)


print(F.mse_loss(Like(torch.ones(2)), torch.zeros(2)).item())
print(F.dropout(Like(torch.ones(2)), 0.5, False).tolist())
for batch in DataLoader([Like(torch.ones(1)), Like(torch.ones(1))], 2, collate_fn=lambda samples: samples[0]):
    print(type(batch).__name__)
