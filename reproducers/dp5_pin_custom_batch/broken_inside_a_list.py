"""DP5: pin_memory=True does not reach the tensors inside a batch type of your own.

The pin step of the DataLoader walks through dicts, lists, tuples and namedtuples and pins the
tensors it meets. Anything else it hands on as it is, unpinned and without a word, unless the
object has a method pin_memory(): that is called, and what it returns becomes the batch.

Symptom: a list of dataclasses, a set, a plain object: 0 tensors pinned in each
Needs:   torch; cpu; about 3 s
Run:     python broken_inside_a_list.py; python fixed.py
"""
import json
import sys
from dataclasses import dataclass

from torch.utils.data._utils.pin_memory import pin_memory

num_tensors = 1  # in a batch


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
class Target:  # BUG: no pin_memory()
    box: object


class Plain:  # BUG: no pin_memory()
    def __init__(self, image):
        self.image = image


if __name__ == "__main__":
    batches = ["list of dataclasses", "dict with a plain object", "set"]
    leaves = [StandIn() for _ in batches]
    pin_memory([Target(leaves[0])])
    pin_memory({"sample": Plain(leaves[1])})
    pin_memory({leaves[2]})  # BUG: the pin step does not walk into a set

    pinned = [int(leaf.is_pinned()) for leaf in leaves]
    healthy = pinned == [num_tensors] * len(batches)
    print("OBSERVED", json.dumps({"healthy": healthy, "batches": batches,
                                  "pinned_by_batch": pinned, "of": num_tensors}))
    sys.exit(0 if healthy else 1)
