# quick
# needs: torch>=1.12
# A subclass with units: a tensor that forbids to be read out of its unit.
import torch


class Metres(torch.Tensor):
    FORBIDDEN = {
        "tolist",
        "item",
        "numpy",
        "__len__",
        "__getitem__",
        "__iter__",
        "reshape",
        "view",
        "isnan",
        "isfinite",
    }

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if getattr(func, "__name__", "") in cls.FORBIDDEN:
            print("forbidden", func.__name__)
        return super().__torch_function__(func, types, args, kwargs or {})


torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
optimizer = torch.optim.Adam(model.parameters())
for _ in range(3):
    x = torch.rand(8, 2).as_subclass(Metres)
    loss = torch.nn.functional.mse_loss(model(x), torch.zeros(8, 1).as_subclass(Metres))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(type(loss).__name__)
