# Many forms of loaders, and what they yield.
import torch
from torch.utils.data import BatchSampler, ChainDataset, ConcatDataset, DataLoader, IterableDataset
from torch.utils.data import Subset, TensorDataset, WeightedRandomSampler, random_split


class Count(IterableDataset):
    def __init__(self, start, end):
        self.start, self.end = start, end

    def __iter__(self):
        info = torch.utils.data.get_worker_info()
        step, first = (info.num_workers, info.id) if info else (1, 0)
        return iter(range(self.start + first, self.end, step))


def start(worker):
    torch.manual_seed(worker)


data = TensorDataset(torch.arange(6.0), torch.arange(6) % 2)
generator = torch.Generator().manual_seed(3)
loaders = [
    DataLoader(data, batch_size=None),
    DataLoader(data, 4, drop_last=True, shuffle=True, generator=generator),
    DataLoader(data, batch_sampler=[[0, 5], [1], [2, 3, 4]]),
    DataLoader(data, sampler=BatchSampler(range(6), 3, False), batch_size=None),
    DataLoader(data, 3, sampler=WeightedRandomSampler([0.0, 1.0, 0, 1.0, 0, 0], 6, generator=generator)),
    DataLoader(
        ConcatDataset([data, Subset(data, [0])]), 4, num_workers=2, worker_init_fn=start, prefetch_factor=3
    ),
    DataLoader(ChainDataset([Count(0, 3), Count(7, 9)]), 2),
    DataLoader(Count(0, 7), 2, num_workers=2, persistent_workers=True, collate_fn=tuple),
    DataLoader(random_split(data, [4, 2], generator=generator)[1], 2, num_workers=1),
]
for loader in loaders:
    for _ in range(2):
        print(
            [
                batch
                if isinstance(batch, tuple)
                else [part.tolist() for part in batch]
                if isinstance(batch, list)
                else batch.tolist()
                for batch in loader
            ]
        )
