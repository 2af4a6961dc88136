# needs: torch>=2.1
# A wrapper subclass with __torch_dispatch__ prints each operation.
import torch
from torch.utils._pytree import tree_map


class Logged(torch.Tensor):
    @staticmethod
    def __new__(cls, inner):
        return torch.Tensor._make_wrapper_subclass(
            cls, inner.shape, dtype=inner.dtype, requires_grad=inner.requires_grad
        )

    def __init__(self, inner):
        self.inner = inner

    def __repr__(self):
        return "Logged"

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        print(func)
        args, kwargs = tree_map(lambda a: a.inner if isinstance(a, Logged) else a, (args, kwargs or {}))
        return tree_map(lambda a: Logged(a) if isinstance(a, torch.Tensor) else a, func(*args, **kwargs))


torch.manual_seed(0)
layer = torch.nn.Linear(2, 2)
layer.weight = torch.nn.Parameter(Logged(torch.ones(2, 2)))
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1, foreach=False)
for _ in range(2):
    loss = torch.nn.functional.mse_loss(layer(Logged(torch.ones(2, 2))), Logged(torch.zeros(2, 2)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
torch.nn.utils.clip_grad_value_(layer.parameters(), 0.1)
