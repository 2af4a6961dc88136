"""DP32: the bucket sampler leaves out the buckets without a text.

A bucket sampler sorts samples by length and repeats those of a bucket until it holds full batches.

Symptom: none: two full batches
Needs:   torch; cpu; about 2 s
Run:     python fix_buckets.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, Sampler

limits, batch_size = [0, 50, 100, 200], 4


class BucketSampler(Sampler):
    def __init__(self, lengths):
        pairs = list(zip(limits[:-1], limits[1:]))
        buckets = [[i for i, length in enumerate(lengths) if low < length <= high]
                   for low, high in pairs]
        self.buckets = [bucket for bucket in buckets if bucket]  # FIX: without the empty ones

    def __iter__(self):
        for bucket in self.buckets:
            missing = -len(bucket) % batch_size
            times, rest = divmod(missing, len(bucket))
            full = bucket + bucket * times + bucket[:rest]
            for start in range(0, len(full), batch_size):
                yield full[start:start + batch_size]


if __name__ == "__main__":
    lengths = [20, 30, 40, 45, 120, 150]
    texts = [torch.ones(length) for length in lengths]
    loader = DataLoader(texts, batch_sampler=BucketSampler(lengths), collate_fn=list)
    samples_by_batch = [len(batch) for batch in loader]

    healthy = samples_by_batch == [4, 4]
    print("OBSERVED", json.dumps({"healthy": healthy, "samples_by_batch": samples_by_batch}))
    sys.exit(0 if healthy else 1)
