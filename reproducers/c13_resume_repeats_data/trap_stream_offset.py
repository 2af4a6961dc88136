"""C13: one offset is not enough for a stream that two workers share.

Each worker reads every second record. The 12 records used are not the first 12 of the stream.

Symptom: 2 of 24 records come twice, 2 never
Needs:   torch; cpu, linux; about 3 s
Run:     python trap_stream_offset.py
"""
import json
import sys
from collections import Counter
from itertools import islice

from torch.utils.data import DataLoader, IterableDataset, get_worker_info

samples, batch_size, stop_after = 24, 4, 3


class Stream(IterableDataset):
    def __init__(self, start=0):
        self.start = start

    def __iter__(self):
        info = get_worker_info()
        records = range(samples)[self.start:]  # BUG: other records were read
        return iter(records[info.id::info.num_workers])


def load(stream):
    return DataLoader(stream, batch_size, num_workers=2, multiprocessing_context="fork")


if __name__ == "__main__":
    seen = Counter()
    for batch in islice(load(Stream()), stop_after):
        seen.update(batch.tolist())
    used = sum(seen.values())
    for batch in load(Stream(start=used)):  # in the next process
        seen.update(batch.tolist())

    copies = [seen[index] for index in range(samples)]
    healthy = copies == [1] * samples
    print("OBSERVED", json.dumps({
        "healthy": healthy, "repeated": sum(n > 1 for n in copies),
        "never_seen": copies.count(0), "used_at_the_stop": used}))
    sys.exit(0 if healthy else 1)
