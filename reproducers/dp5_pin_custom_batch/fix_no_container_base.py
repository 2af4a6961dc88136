"""DP5: a batch that holds a dict, instead of being one, has its pin_memory() called.

Up to torch 2.10, the pin step looks for mappings, sequences and tuples first, and for a method
pin_memory() last. From torch 2.11 on, the method comes first.

Symptom: none: image and mask are pinned
Needs:   torch; cpu; about 3 s
Run:     python broken_own_method_ignored.py; python fix_no_container_base.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data._utils.pin_memory import pin_memory

class Batch:  # FIX: holds a dict and is not one, so every torch calls its pin_memory()
    def __init__(self, fields, mask):
        self.fields = fields
        self.mask = mask

    def __getitem__(self, name):
        return self.fields[name]

    def pin_memory(self):
        self.fields = {name: value.pin_memory() for name, value in self.fields.items()}
        self.mask = self.mask.pin_memory()
        return self


def collate(samples):
    image = torch.stack([image for image, in samples])
    return Batch({"image": image}, mask=torch.ones(len(samples), dtype=torch.bool))


def as_on_a_gpu(loader):
    """The batches as they come on a machine with a GPU. Without one, a DataLoader pins nothing:
    call its pin step here, with tensors that note that they were asked to be pinned."""
    if torch.cuda.is_available():
        return list(loader)
    pin_calls = []
    torch.Tensor.pin_memory = lambda tensor, *_: pin_calls.append(tensor) or tensor
    torch.Tensor.is_pinned = lambda tensor, *_: any(tensor is other for other in pin_calls)
    return [pin_memory(batch) for batch in loader]


if __name__ == "__main__":
    dataset = TensorDataset(torch.zeros(2, 3))
    loader = DataLoader(dataset, batch_size=2, collate_fn=collate, pin_memory=True)
    [batch] = as_on_a_gpu(loader)

    image_pinned = batch["image"].is_pinned()
    mask_pinned = batch.mask.is_pinned()
    healthy = image_pinned and mask_pinned
    print("OBSERVED", json.dumps({"healthy": healthy, "image_pinned": image_pinned,
                                  "mask_pinned": mask_pinned, "type": type(batch).__name__}))
    sys.exit(0 if healthy else 1)
