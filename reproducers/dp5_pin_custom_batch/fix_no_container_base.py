"""DP5: pin_memory=True does not reach the tensors inside a batch type of your own.

The pin step of the DataLoader walks through dicts, lists, tuples and namedtuples and pins the
tensors it meets. Anything else it hands on as it is, unpinned and without a word, unless the
object has a method pin_memory(): that is called, and what it returns becomes the batch.

Symptom: a batch that holds a dict instead of being one: its pin_memory() is called
Needs:   torch; cpu; about 3 s
Run:     python broken_own_method_ignored.py; python fix_no_container_base.py
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


class Batch:  # FIX: has a dict, is none; every torch calls its pin_memory()
    def __init__(self, fields, mask):
        self.fields = fields
        self.mask = mask

    def __getitem__(self, name):
        return self.fields[name]

    def pin_memory(self):
        self.fields = {name: value.pin_memory() for name, value in self.fields.items()}
        self.mask = self.mask.pin_memory()
        return self


if __name__ == "__main__":
    batch = pin_memory(Batch({"image": StandIn()}, mask=StandIn()))

    image_pinned = batch["image"].is_pinned()
    mask_pinned = batch.mask.is_pinned()
    healthy = image_pinned and mask_pinned
    print("OBSERVED", json.dumps({"healthy": healthy, "image_pinned": image_pinned,
                                  "mask_pinned": mask_pinned, "type": type(batch).__name__}))
    sys.exit(0 if healthy else 1)
