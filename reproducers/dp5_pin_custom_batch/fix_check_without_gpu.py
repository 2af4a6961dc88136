"""DP5: the pin step can be called in a test without a GPU.

Without a GPU a DataLoader pins nothing and never calls pin_memory(), so a test that only runs the
loader passes whatever the method does.

Symptom: none: the loader calls pin_memory() 0 times, the pin step reaches 1 of 1 tensors
Needs:   torch; cpu; about 3 s
Run:     python fix_check_without_gpu.py
"""
import json
import sys
from dataclasses import dataclass
from unittest import mock

import torch
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data._utils.pin_memory import pin_memory

calls = []


@dataclass
class Batch:
    image: torch.Tensor

    def pin_memory(self):
        calls.append("called")
        self.image = self.image.pin_memory()
        return self


def collate(samples):
    return Batch(torch.stack([image for image, in samples]))


if __name__ == "__main__":
    dataset = TensorDataset(torch.zeros(2, 3))
    loader = DataLoader(dataset, batch_size=1, collate_fn=collate, pin_memory=True)
    for batch in loader:
        pass
    calls_by_loader = len(calls)

    pin_calls = []
    note = lambda tensor: pin_calls.append(tensor) or tensor
    with mock.patch.object(torch.Tensor, "pin_memory", note):
        batch = pin_memory(loader.collate_fn([loader.dataset[0]]))  # FIX: as with a GPU
    assert any(t is batch.image for t in pin_calls), "the pin step does not reach batch.image"

    healthy = len(pin_calls) == 1 and calls_by_loader == (2 if torch.cuda.is_available() else 0)
    print("OBSERVED", json.dumps({"healthy": healthy, "calls_by_loader": calls_by_loader,
                                  "tensors_reached_by_pin_step": len(pin_calls)}))
    sys.exit(0 if healthy else 1)
