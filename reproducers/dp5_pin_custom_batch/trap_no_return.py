"""DP5: pin_memory=True does not reach the tensors inside a batch type of your own.

The pin step of the DataLoader walks through dicts, lists, tuples and namedtuples and pins the
tensors it meets. Anything else it hands on as it is, unpinned and without a word, unless the
object has a method pin_memory(): that is called, and what it returns becomes the batch.

Symptom: once Batch has a pin_memory(), every batch is None
Needs:   torch; cpu; about 3 s
Run:     python trap_no_return.py; python fixed.py
"""
import json
import sys
from dataclasses import dataclass

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


@dataclass
class Batch:
    image: object
    label: object

    def pin_memory(self):  # BUG: returns nothing, and what it returns becomes the batch
        self.image = self.image.pin_memory()
        self.label = self.label.pin_memory()


if __name__ == "__main__":
    batch = pin_memory(Batch(StandIn(), StandIn()))  # what the DataLoader does with every batch

    healthy = isinstance(batch, Batch)
    print("OBSERVED", json.dumps({"healthy": healthy, "batch": type(batch).__name__}))
    sys.exit(0 if healthy else 1)
