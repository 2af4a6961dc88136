"""DP16: short batches of all workers are joined, whatever a batch consists of.

Full batches pass through unchanged. Short ones are taken apart into samples, and default_collate
builds full batches of those. A batch may be a tensor, a tuple or a dict.

Symptom: none: 46 samples of each kind make 5 full batches with 2 workers
Needs:   torch; cpu; about 2 s
Run:     python fix_any_batch.py; python broken.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info
from torch.utils.data.dataloader import default_collate

num_samples, batch_size = 46, 8  # 5 full batches and 6 samples over
kinds = ["tensor", "tuple", "dict"]


class Stream(IterableDataset):
    """Divided among the workers: no sample comes twice."""

    def __init__(self, kind):
        self.kind = kind

    def __iter__(self):
        info = get_worker_info()
        worker, workers = (0, 1) if info is None else (info.id, info.num_workers)
        for index in range(worker, num_samples, workers):
            image, name = torch.zeros(3, 4, 4), "%d.jpg" % index
            yield {"tensor": torch.tensor(index), "tuple": (image, index),
                   "dict": {"image": image, "label": index, "name": name}}[self.kind]


def unbatch(batch):
    if isinstance(batch, dict):
        return [dict(zip(batch, values)) for values in zip(*batch.values())]
    return list(zip(*batch)) if isinstance(batch, (list, tuple)) else list(batch)


def full_batches(loader, batch_size):
    short = []
    for batch in loader:
        samples = unbatch(batch)
        if len(samples) == batch_size:
            yield batch
        else:
            short += samples  # FIX: join the short batches of all workers
    for start in range(0, len(short) - batch_size + 1, batch_size):
        yield default_collate(short[start:start + batch_size])


if __name__ == "__main__":
    batches = {}
    for kind in kinds:
        loader = DataLoader(Stream(kind), batch_size=batch_size, num_workers=2)  # FIX: no drop_last
        batches[kind] = list(full_batches(loader, batch_size))

    labels = [batches["tensor"], [batch[1] for batch in batches["tuple"]],
              [batch["label"] for batch in batches["dict"]]]
    sizes = [[len(batch) for batch in of_kind] for of_kind in labels]
    never_seen = [num_samples - len(torch.cat(of_kind).unique()) for of_kind in labels]
    healthy = sizes == [[batch_size] * (num_samples // batch_size)] * 3 and never_seen == [6, 6, 6]
    print("OBSERVED", json.dumps({"healthy": healthy, "kinds": kinds,
                                  "batch_size_by_kind_and_number": sizes,
                                  "never_seen_of_46_by_kind": never_seen}))
    sys.exit(0 if healthy else 1)
