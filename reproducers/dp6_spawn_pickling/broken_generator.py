"""DP6: a dataset that keeps a generator cannot be sent to a spawned worker.

A generator is the state of a running function. The same holds for an open csv.reader, a module or
a lock as an attribute.

Symptom: TypeError: cannot pickle 'generator' object
Needs:   torch; cpu; about 6 s
Run:     python broken_generator.py; python fix_open_on_first_use.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, IterableDataset


class Lines(IterableDataset):
    def __init__(self, lines):
        self.numbers = (float(line) for line in lines)  # BUG: a generator

    def __iter__(self):
        return (torch.tensor(number) for number in self.numbers)


if __name__ == "__main__":
    loader = DataLoader(Lines(["1", "2"]), batch_size=2, num_workers=1,
                        multiprocessing_context="spawn")
    batches = [batch.tolist() for batch in loader]

    healthy = batches == [[1.0, 2.0]]
    print("OBSERVED", json.dumps({"healthy": healthy, "batches": batches}))
    sys.exit(0 if healthy else 1)
