"""DP5: tensors in a namedtuple, dict, list or tuple are pinned without a method.

With pin_memory=True the loader pins each batch before it returns it. This pin step goes through
mappings, sequences and tuples and pins every tensor in them. An object of another type is asked
for a method pin_memory(); without one it is passed on as it is.

Symptom: none: 2 of 2 tensors are pinned in each of them
Needs:   torch; cpu; about 3 s
Run:     python broken.py; python fix_plain_containers.py
"""
import json
import sys
from typing import NamedTuple

import torch
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data._utils.pin_memory import pin_memory

num_tensors = 2  # in a batch
containers = ["namedtuple", "dict", "list", "tuple"]


class Batch(NamedTuple):  # FIX: batch.image and batch.label, without a method of your own
    image: torch.Tensor
    label: torch.Tensor


def collate(samples):
    images, labels = zip(*samples)
    return Batch(torch.stack(images), torch.stack(labels))


def as_dict(samples):
    return collate(samples)._asdict()


def as_list(samples):
    return list(collate(samples))


def as_tuple(samples):
    return tuple(collate(samples))


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
    collates = [collate, as_dict, as_list, as_tuple]
    pinned = []
    for function in collates:
        loader = DataLoader(dataset, batch_size=2, collate_fn=function, pin_memory=True)
        [batch] = as_on_a_gpu(loader)
        tensors = batch.values() if isinstance(batch, dict) else batch
        pinned.append([tensor.is_pinned() for tensor in tensors].count(True))

    healthy = pinned == [num_tensors] * len(collates)
    print("OBSERVED", json.dumps({"healthy": healthy, "containers": containers,
                                  "pinned_by_container": pinned, "of": num_tensors}))
    sys.exit(0 if healthy else 1)
