"""DP5: before torch 2.10, a tuple comes out of the pin step as a list.

Before torch 2.10 the pin step builds a list of the pinned elements of a tuple and returns that
list.

Symptom: collate_fn returns a tuple, and the loader returns a list
Needs:   torch; cpu; about 3 s
Run:     python broken_tuple_becomes_list.py; python fix_plain_containers.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data._utils.pin_memory import pin_memory

def collate(samples):
    images, labels = zip(*samples)
    return torch.stack(images), torch.stack(labels)  # BUG: a list after pinning, before torch 2.10


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

    healthy = isinstance(batch, tuple)
    print("OBSERVED", json.dumps({"healthy": healthy, "batch": type(batch).__name__,
                                  "tensors_pinned": [x.is_pinned() for x in batch].count(True)}))
    sys.exit(0 if healthy else 1)
