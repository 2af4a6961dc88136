# A training in another thread, in asyncio.to_thread style, and in several at once.
import asyncio
import threading

import torch
from torch.utils.data import DataLoader


def train(seed):
    generator = torch.Generator().manual_seed(seed)
    layer = torch.nn.Linear(2, 1, bias=False)
    torch.nn.init.ones_(layer.weight)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    for x in DataLoader(torch.rand(8, 2, generator=generator), 4):
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(layer(x), torch.ones(4, 1)).backward()
        optimizer.step()
    return layer.weight.sum().item().hex()


async def main():
    loop = asyncio.get_running_loop()
    return await asyncio.gather(*(loop.run_in_executor(None, train, seed) for seed in range(3)))


print(asyncio.run(main()))
results = {}
threads = [threading.Thread(target=lambda n=n: results.update({n: train(n)})) for n in range(3)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(sorted(results.items()))
print(train(1))
