"""DP5: pin_memory=True does not reach the tensors inside a batch type of your own.

The pin step of the DataLoader walks through dicts, lists, tuples and namedtuples and pins the
tensors it meets. Anything else it hands on as it is, unpinned and without a word, unless the
object has a method pin_memory(): that is called, and what it returns becomes the batch.

Symptom: a dict, a list or a namedtuple needs no method: the pin step walks into it
Needs:   torch; cpu; about 3 s
Run:     python broken.py; python fix_plain_containers.py
"""
import json
import sys
from collections import namedtuple

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


Batch = namedtuple("Batch", ["image", "label"])

if __name__ == "__main__":
    containers = {
        "namedtuple": Batch(StandIn(), StandIn()),  # FIX: batch.image and batch.label still work
        "dict": {"image": StandIn(), "label": StandIn()},  # FIX
        "list": [StandIn(), StandIn()],
        "tuple": (StandIn(), StandIn()),
        "dict of lists": {"images": [StandIn()], "labels": [StandIn()]},
    }
    pinned = []
    for batch in map(pin_memory, containers.values()):
        leaves = list(batch.values()) if isinstance(batch, dict) else list(batch)
        leaves = [leaf for part in leaves for leaf in (part if isinstance(part, list) else [part])]
        pinned.append([leaf.is_pinned() for leaf in leaves].count(True))

    healthy = pinned == [num_tensors] * len(containers)
    print("OBSERVED", json.dumps({"healthy": healthy, "containers": list(containers),
                                  "pinned_by_container": pinned, "of": num_tensors}))
    sys.exit(0 if healthy else 1)
