"""DP5: a pin_memory() without return makes every batch None.

The pin step calls pin_memory() on a batch that has such a method, and what the method returns
becomes the batch.

Symptom: the batch is None
Needs:   torch; cpu; about 3 s
Run:     python trap_no_return.py; python fixed.py
"""
import json
import sys
from dataclasses import dataclass

import torch
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data._utils.pin_memory import pin_memory

@dataclass
class Batch:
    image: torch.Tensor
    label: torch.Tensor

    def pin_memory(self):  # BUG: returns None, and the return value becomes the batch
        self.image = self.image.pin_memory()
        self.label = self.label.pin_memory()


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

    healthy = isinstance(batch, Batch)
    print("OBSERVED", json.dumps({"healthy": healthy, "batch": type(batch).__name__}))
    sys.exit(0 if healthy else 1)
