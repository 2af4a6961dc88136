"""DP5: pin_memory=True does not reach the tensors inside a batch type of your own.

The pin step of the DataLoader walks through dicts, lists, tuples and namedtuples and pins the
tensors it meets. Anything else it hands on as it is, unpinned and without a word, unless the
object has a method pin_memory(): that is called, and what it returns becomes the batch.

Symptom: a batch that was a tuple comes back as a list (torch < 2.10)
Needs:   torch; cpu; about 3 s
Run:     python broken_tuple_becomes_list.py; python fix_plain_containers.py
"""
import json
import sys

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


if __name__ == "__main__":
    batch = (StandIn(), StandIn())  # BUG: before torch 2.10 the pin step makes a list of it
    batch = pin_memory(batch)

    healthy = isinstance(batch, tuple)
    print("OBSERVED", json.dumps({"healthy": healthy, "batch": type(batch).__name__,
                                  "tensors_pinned": [x.is_pinned() for x in batch].count(True)}))
    sys.exit(0 if healthy else 1)
