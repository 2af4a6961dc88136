# A tensor subclass logs every function that torch calls on it while a model is trained with it.
# needs: torch>=1.13
import torch
from torch import nn
from torch.utils.data import DataLoader

torch.manual_seed(0)
torch.set_num_threads(1)
log = []


class Logged(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        name = getattr(func, "__name__", str(func))
        if name == "__get__":
            name = func.__self__.__name__
        log.append(name)
        return super().__torch_function__(func, types, args, kwargs or {})


data = [torch.randn(2) for _ in range(4)]
net = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Dropout(0.1), nn.Linear(4, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for batch in DataLoader(data, batch_size=2, collate_fn=lambda s: torch.stack(s).as_subclass(Logged)):
    print("collated", log)
    log.clear()
    loss = nn.functional.mse_loss(net(batch), torch.zeros(2, 1))
    print(type(loss).__name__, log)
    log.clear()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(log)
    log.clear()
value = loss.item()
print(log, float(value).hex())
