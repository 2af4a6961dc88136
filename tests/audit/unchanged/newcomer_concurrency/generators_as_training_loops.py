# Training loops written as generators, coroutines, context managers and decorators; suspended, resumed, closed, thrown into.
import contextlib
import functools

import torch
from torch import nn
from torch.utils.data import DataLoader

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Linear(1, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)


def loop(loader):
    try:
        while True:
            for x in loader:
                loss = net(x).sum()
                opt.zero_grad()
                loss.backward()
                opt.step()
                command = yield loss.item().hex()
                if command:
                    opt.param_groups[0]["lr"] = command
    except GeneratorExit:
        print("closed", torch.is_grad_enabled())
        raise
    except ZeroDivisionError:
        yield "caught"


@contextlib.contextmanager
def phase(name):
    print("enter", name)
    try:
        yield torch.is_grad_enabled()
    except ValueError as e:
        print("swallowed", e, e.__traceback__ is not None)
    finally:
        print("leave", name)


@torch.no_grad()
def evaluate():
    for x in DataLoader(torch.ones(3, 1)):
        yield net(x).requires_grad


g = loop(DataLoader(torch.arange(4.0).unsqueeze(1), batch_size=2))
print(next(g), next(g), g.send(0.5), next(g), opt.param_groups[0]["lr"], g.gi_frame.f_lineno > 0)
with torch.no_grad():
    e = evaluate()
    print(next(e))
print(list(e), torch.is_grad_enabled())
print(g.throw(ZeroDivisionError()), next(g, "ended"))
h = loop(DataLoader(torch.ones(2, 1)))
next(h)
h.close()
with phase("train") as enabled:
    print(enabled, net(torch.ones(1, 1)).requires_grad)
    raise ValueError("inside")
with contextlib.ExitStack() as stack:
    stack.enter_context(torch.enable_grad())
    stack.callback(print, "callback")
    for x in DataLoader(torch.ones(1, 1)):
        stack.push(functools.partial(print, "exit", sep="|"))
        raise_ = contextlib.suppress(RuntimeError)
        with raise_:
            net(torch.ones(1, 9))
