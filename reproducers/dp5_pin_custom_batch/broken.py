"""DP5: a dataclass goes through the pin step with none of its tensors pinned.

With pin_memory=True the loader pins each batch before it returns it. This pin step goes through
mappings, sequences and tuples and pins every tensor in them. An object of another type is asked
for a method pin_memory(); without one it is passed on as it is.

Symptom: 0 of the 2 tensors of a batch are pinned, and no message
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
class Batch:  # BUG: the pin step does not know it, and it has no pin_memory()
    image: torch.Tensor
    label: torch.Tensor


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
