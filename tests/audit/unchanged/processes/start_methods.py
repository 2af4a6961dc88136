# Workers by spawn and forkserver, a pool, and torch.multiprocessing.spawn.
import torch
import torch.multiprocessing as mp
from torch.utils.data import DataLoader


class Items:
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return torch.tensor(float(index))


def put(rank, queue):
    queue.put((rank, torch.ones(2).sum().item()))


if __name__ == "__main__":
    for method in ("spawn", "forkserver"):
        loader = DataLoader(
            Items(), 4, num_workers=1, multiprocessing_context=method, persistent_workers=True
        )
        print([batch.tolist() for batch in loader])
    context = mp.get_context("spawn")
    queue = context.SimpleQueue()
    mp.spawn(put, (queue,), 2)
    print(sorted(queue.get() for _ in range(2)))
    with context.Pool(1) as pool:
        print(pool.map(torch.numel, [torch.ones(3), torch.ones(2, 2)]))
