"""DP5: pin_memory=True does not reach the tensors inside a batch type of your own.

The pin step of the DataLoader walks through dicts, lists, tuples and namedtuples and pins the
tensors it meets. Anything else it hands on as it is, unpinned and without a word, unless the
object has a method pin_memory(): that is called, and what it returns becomes the batch.

Symptom: a dataclass with 2 tensors goes through the pin step, and 0 of them are pinned
Needs:   torch; cpu; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys
from dataclasses import dataclass

from torch.utils.data._utils.pin_memory import pin_memory

num_tensors = 2  # in a batch


class StandIn:
    """Stands in for a tensor, as real pinning needs a GPU: remembers that it was pinned."""

    def __init__(self):
        self.pinned = False

    def pin_memory(self):
        self.pinned = True
        return self

    def is_pinned(self):
        return self.pinned


@dataclass
class Batch:
    image: object
    label: object

    def pin_memory(self):  # FIX: the pin step calls this
        self.image = self.image.pin_memory()
        self.label = self.label.pin_memory()
        return self  # FIX: what is returned becomes the batch


if __name__ == "__main__":
    batch = pin_memory(Batch(StandIn(), StandIn()))  # what the DataLoader does with every batch

    pinned = [batch.image.is_pinned(), batch.label.is_pinned()].count(True)
    healthy = pinned == num_tensors
    print("OBSERVED", json.dumps({"healthy": healthy, "tensors_pinned": pinned, "of": num_tensors}))
    sys.exit(0 if healthy else 1)
