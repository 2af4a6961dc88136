# functools.wraps, partial, update_wrapper, singledispatch and copies of torch's functions keep names and behaviour.
# needs: torch>=2.0
import copy
import functools

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


def logged(f):
    @functools.wraps(f)
    def wrapper(*a, **k):
        return f(*a, **k)

    return wrapper


for f in (F.cross_entropy, F.mse_loss, torch.save, nn.utils.clip_grad_norm_, torch.optim.SGD.step, torch.Tensor.backward,
          nn.Module.zero_grad, torch.utils.data.DataLoader.__iter__, torch.no_grad, nn.Module.train, nn.Module.load_state_dict,
          torch.optim.Optimizer.load_state_dict, torch.manual_seed, torch.utils.checkpoint.checkpoint):
    w = logged(f)
    print(w.__name__, w.__qualname__, w.__module__, (w.__doc__ or "")[:20].strip(), w.__wrapped__ is f, copy.copy(f) is f, copy.deepcopy(f) is f)
loss = functools.partial(F.cross_entropy, reduction="sum")
print(loss(torch.zeros(1, 2), torch.tensor([1])).item().hex(), loss.func is F.cross_entropy)
print(nn.utils.clip_grad_norm_.__name__, {F.cross_entropy: 1}[F.cross_entropy], callable(F.cross_entropy))
