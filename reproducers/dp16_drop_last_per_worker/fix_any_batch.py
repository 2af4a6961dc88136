"""DP16: short batches of all workers are joined, whatever a batch consists of.

Full batches pass through unchanged. Short ones are taken apart into samples, and default_collate
builds full batches of those. A batch may be a tensor, a tuple or a dict.

Symptom: none: 46 dicts make 5 full batches with 2 workers
Needs:   torch; cpu; about 2 s
Run:     python fix_any_batch.py; python broken.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info
from torch.utils.data.dataloader import default_collate

num_samples, batch_size = 46, 8  # 5 full batches and 6 samples over


class Stream(IterableDataset):
    """Divided among the workers: no sample comes twice."""

    def __iter__(self):
        info = get_worker_info()
        worker, workers = (0, 1) if info is None else (info.id, info.num_workers)
        for index in range(worker, num_samples, workers):
            yield {"image": torch.zeros(3, 4, 4), "label": index, "name": "%d.jpg" % index}


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
    loader = DataLoader(Stream(), batch_size=batch_size, num_workers=2)  # FIX: no drop_last
    batches = list(full_batches(loader, batch_size))

    sizes = [len(unbatch(batch)) for batch in batches]
    shapes = {tuple(batch["image"].shape) for batch in batches}
    seen = {label for batch in batches for label in batch["label"].tolist()}
    healthy = (sizes == [batch_size] * (num_samples // batch_size)
               and shapes == {(batch_size, 3, 4, 4)})
    print("OBSERVED", json.dumps({"healthy": healthy, "batch_sizes": sizes,
                                  "never_seen_of_46": num_samples - len(seen)}))
    sys.exit(0 if healthy else 1)
