# Errors from every part of a training loop; the program prints the function names of each traceback and the context.
import traceback
import warnings

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

warnings.simplefilter("ignore")
torch.manual_seed(0)
torch.set_num_threads(1)


class Bad(Dataset):
    def __len__(self):
        return 2

    def __getitem__(self, i):
        raise KeyError("no item")


class Stop(nn.Module):
    def forward(self, x):
        raise StopIteration("from forward")


def twice():
    loss = nn.Linear(1, 1)(torch.ones(1, 1)).sum().exp()
    loss.backward()
    loss.backward()


def closure_fails():
    torch.optim.SGD(nn.Linear(1, 1).parameters(), lr=0.1).step(lambda: 1 / 0)


def hook_fails():
    m = nn.Linear(1, 1)
    m.weight.register_hook(lambda g: [][0])
    m(torch.ones(1, 1)).sum().backward()


def collate_fails():
    list(DataLoader([torch.ones(1), torch.ones(2)], batch_size=2))


def bad_target():
    F.cross_entropy(torch.ones(1, 2), torch.tensor([5]))


def chained():
    try:
        next(iter(DataLoader(Bad())))
    except KeyError as e:
        raise RuntimeError("wrapped") from e


cases = [
    twice, closure_fails, hook_fails, collate_fails, bad_target, chained,
    lambda: next(iter(DataLoader(Bad()))),
    lambda: Stop()(torch.ones(1)),
    lambda: torch.load("nothing.pt"),
    lambda: torch.save(torch.ones(1), "no/such/folder/x.pt"),
    lambda: nn.Linear(1, 1).load_state_dict({}),
    lambda: torch.optim.SGD([torch.ones(1)], lr=-1.0),
    lambda: nn.utils.clip_grad_norm_([torch.nn.Parameter(torch.ones(1))], "x"),
    lambda: F.cross_entropy("a", "b"),
    lambda: F.cross_entropy(),
    lambda: torch.save(),
    lambda: torch.manual_seed("x"),
    lambda: DataLoader([1], batch_size=0),
    lambda: torch.ones(2).backward(),
]
for case in cases:
    try:
        case()
        print("no error")
    except BaseException as e:
        frames = traceback.extract_tb(e.__traceback__)
        names = [f.name for f in frames if "module.py" not in f.filename]
        print(type(e).__name__, str(e).splitlines()[0][:70] if str(e) else "", names, type(e.__context__).__name__, type(e.__cause__).__name__,
              e.__suppress_context__, "".join(traceback.format_exception_only(type(e), e)).count("\n"))
