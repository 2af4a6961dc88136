"""DP5: pin_memory=True does not reach the tensors inside a batch type of your own.

The pin step of the DataLoader walks through dicts, lists, tuples and namedtuples and pins the
tensors it meets. Anything else it hands on as it is, unpinned and without a word, unless the
object has a method pin_memory(): that is called, and what it returns becomes the batch.

Symptom: without a GPU the DataLoader never calls pin_memory(): a test has to call the pin step
Needs:   torch; cpu; about 3 s
Run:     python fix_check_without_gpu.py
"""
import json
import sys
from dataclasses import dataclass

import torch
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data._utils.pin_memory import pin_memory


class StandIn:
    """Stands in for a tensor, as real pinning needs a GPU: remembers that it was pinned."""

    def __init__(self):
        self.pinned = False

    def pin_memory(self):
        self.pinned = True
        return self

    def is_pinned(self):
        return self.pinned


calls = []


@dataclass
class Batch:
    image: object

    def pin_memory(self):
        calls.append("called")
        self.image = self.image.pin_memory()
        return self


def collate(samples):
    return Batch(torch.stack([image for image, in samples]))


if __name__ == "__main__":
    dataset = TensorDataset(torch.zeros(2, 3))
    for batch in DataLoader(dataset, batch_size=1, collate_fn=collate, pin_memory=True):
        pass
    calls_by_loader = len(calls)

    batch = pin_memory(Batch(StandIn()))  # FIX: this is what a test without a GPU can look at

    healthy = batch.image.is_pinned() and calls_by_loader == (2 if torch.cuda.is_available() else 0)
    print("OBSERVED", json.dumps({"healthy": healthy, "calls_by_loader": calls_by_loader,
                                  "pinned_by_pin_step": batch.image.is_pinned()}))
    sys.exit(0 if healthy else 1)
