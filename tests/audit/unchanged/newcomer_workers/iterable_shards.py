# An iterable dataset shards itself over three workers; the order of all items, the length warning and the end are shown.
import warnings

import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

torch.set_num_threads(1)


class Shards(IterableDataset):
    def __init__(self, n, claimed):
        self.n, self.claimed = n, claimed

    def __len__(self):
        return self.claimed

    def __iter__(self):
        info = get_worker_info()
        start, step = (0, 1) if info is None else (info.id, info.num_workers)
        return iter(range(start, self.n, step))


def main():
    for workers in (0, 3):
        loader = DataLoader(Shards(8, 5), batch_size=2, num_workers=workers)
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            print(workers, [b.tolist() for b in loader], len(loader))
            print([b.tolist() for b in loader])
        print([str(w.message)[:40] for w in seen if "Length" in str(w.message)])


if __name__ == "__main__":
    main()
