import asyncio

from torch.utils.data import DataLoader


async def first():
    batches = iter(DataLoader([1]))
    return batches.next()


async def main():
    return await asyncio.gather(first(), return_exceptions=True)


print([type(item).__name__ for item in asyncio.run(main())])
