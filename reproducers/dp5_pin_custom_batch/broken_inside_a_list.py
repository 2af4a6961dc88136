"""DP5: objects inside a list or a dict, and tensors in a set, are not pinned.

With pin_memory=True the loader pins each batch before it returns it. This pin step goes through
mappings, sequences and tuples and pins every tensor in them. An object of another type is asked
for a method pin_memory(); without one it is passed on as it is.

Symptom: 0 of 1 tensors are pinned in each of the three batches
Needs:   torch; cpu; about 3 s
Run:     python broken_inside_a_list.py; python fixed.py
"""
import json
import sys
from dataclasses import dataclass

import torch
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data._utils.pin_memory import pin_memory

num_tensors = 1  # in a batch


@dataclass
class Target:  # BUG: no pin_memory()
    box: torch.Tensor


class Plain:  # BUG: no pin_memory()
    def __init__(self, image):
        self.image = image


def list_of_dataclasses(samples):
    return [Target(torch.stack([image for image, in samples]))]


def dict_with_an_object(samples):
    return {"sample": Plain(torch.stack([image for image, in samples]))}


def set_of_tensors(samples):
    return {torch.stack([image for image, in samples])}  # BUG: the pin step does not enter a set


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
    collates = [list_of_dataclasses, dict_with_an_object, set_of_tensors]
    batches = []
    for collate in collates:
        loader = DataLoader(dataset, batch_size=2, collate_fn=collate, pin_memory=True)
        batches += as_on_a_gpu(loader)
    tensors = [batches[0][0].box, batches[1]["sample"].image, *batches[2]]

    pinned = [int(tensor.is_pinned()) for tensor in tensors]
    healthy = pinned == [num_tensors] * len(collates)
    print("OBSERVED", json.dumps({"healthy": healthy, "batches": [c.__name__ for c in collates],
                                  "pinned_by_batch": pinned, "of": num_tensors}))
    sys.exit(0 if healthy else 1)
