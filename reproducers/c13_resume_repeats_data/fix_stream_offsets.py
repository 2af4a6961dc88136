"""C13: a stream with workers needs one offset for each worker, counted in the loop.

Each worker reads its own part of the stream. The records carry their worker's id, the loop counts
them per worker, and each worker starts at its own count.

Symptom: none: every record is seen once
Needs:   torch; cpu, linux; about 3 s
Run:     python fix_stream_offsets.py
"""
import json
import sys
from collections import Counter
from itertools import islice

from torch.utils.data import DataLoader, IterableDataset, get_worker_info

samples, batch_size, stop_after, num_workers = 24, 4, 3, 2


class Stream(IterableDataset):
    def __init__(self, starts):
        self.starts = starts

    def __iter__(self):
        worker = get_worker_info().id
        records = range(samples)[worker::num_workers][self.starts[worker]:]  # FIX
        return ((worker, record) for record in records)


def load(stream):
    return DataLoader(stream, batch_size, num_workers=num_workers, multiprocessing_context="fork")


if __name__ == "__main__":
    seen, used = Counter(), [0] * num_workers
    for workers, records in islice(load(Stream(used)), stop_after):
        seen.update(records.tolist())
        used = [n + workers.tolist().count(worker) for worker, n in enumerate(used)]  # FIX
    for workers, records in load(Stream(used)):  # in the next process, with as many workers
        seen.update(records.tolist())

    copies = [seen[index] for index in range(samples)]
    healthy = copies == [1] * samples
    print("OBSERVED", json.dumps({
        "healthy": healthy, "repeated": sum(n > 1 for n in copies),
        "never_seen": copies.count(0), "used_by_worker": used}))
    sys.exit(0 if healthy else 1)
