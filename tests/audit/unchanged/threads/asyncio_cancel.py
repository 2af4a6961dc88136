# A training step in a coroutine that is cancelled.
import asyncio

import torch
from torch.utils.data import DataLoader

layer = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)


async def train():
    steps = 0
    try:
        while True:
            for x in DataLoader(torch.ones(4, 1), 2):
                optimizer.zero_grad()
                layer(x).sum().backward()
                optimizer.step()
                steps += 1
                await asyncio.sleep(0)
    except asyncio.CancelledError:
        print("cancelled", steps > 0)
        raise


async def main():
    task = asyncio.ensure_future(train())
    await asyncio.sleep(0.2)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        print("ended")


asyncio.run(main())
