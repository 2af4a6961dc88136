import torch

original = torch.Tensor.clone


def clone(self, *args, **options):
    print("cloned")
    return original(self, *args, **options)


torch.Tensor.clone = clone
trange = range
