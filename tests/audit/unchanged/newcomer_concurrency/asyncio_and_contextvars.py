# An asyncio program trains two models in interleaved tasks with context variables, cancels one, and times one out.
import asyncio
import contextvars

import torch
from torch import nn
from torch.utils.data import DataLoader

torch.manual_seed(0)
torch.set_num_threads(1)
name = contextvars.ContextVar("name", default="main")
log = []


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(1, 1)

    def forward(self, x):
        log.append(name.get())
        return self.lin(x)


async def batches(loader):
    for x in loader:
        await asyncio.sleep(0)
        yield x


async def train(n, steps):
    name.set(n)
    net = Net()
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    try:
        async for x in batches(DataLoader(torch.ones(steps, 1))):
            opt.zero_grad()
            net(x).sum().backward()
            opt.step()
    except asyncio.CancelledError:
        log.append(n + " cancelled")
        raise
    return net.lin.weight.item().hex()


async def main():
    print(await asyncio.gather(train("a", 3), train("b", 2)))
    task = asyncio.ensure_future(train("c", 10**6))
    await asyncio.sleep(0.05)
    task.cancel()
    print(await asyncio.gather(task, return_exceptions=True))
    try:
        await asyncio.wait_for(train("d", 10**6), 0.05)
    except asyncio.TimeoutError as e:
        print(type(e).__name__)
    print(await asyncio.get_running_loop().run_in_executor(None, lambda: name.get()))


asyncio.run(main())
print([e for i, e in enumerate(log) if i == 0 or log[i - 1] != e][:8], name.get(), len(list(contextvars.copy_context())))
