"""DP5: a dataclass with a pin_memory() that returns self has its tensors pinned.

The pin step calls pin_memory() on a batch that has such a method, and what the method returns
becomes the batch.

Symptom: none: 2 of the 2 tensors of a batch are pinned
Needs:   torch; cpu; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys
from dataclasses import dataclass

import torch
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data._utils.pin_memory import pin_memory

num_tensors = 2  # in a batch


@dataclass
class Batch:
    image: torch.Tensor
    label: torch.Tensor

    def pin_memory(self):  # FIX: the pin step calls this
        self.image = self.image.pin_memory()
        self.label = self.label.pin_memory()
        return self  # FIX: the return value becomes the batch


def collate(samples):
    images, labels = zip(*samples)
    return Batch(torch.stack(images), torch.stack(labels))


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
    dataset = TensorDataset(torch.zeros(2, 3), torch.tensor([0, 1]))
    loader = DataLoader(dataset, batch_size=2, collate_fn=collate, pin_memory=True)
    [batch] = as_on_a_gpu(loader)

    pinned = [batch.image.is_pinned(), batch.label.is_pinned()]
    print("image and label pinned:", pinned)

    count = pinned.count(True)
    healthy = count == num_tensors
    print("OBSERVED", json.dumps({"healthy": healthy, "tensors_pinned": count, "of": num_tensors}))
    sys.exit(0 if healthy else 1)
