"""S6: every tensor of the batch is moved, however deep it lies.

The function follows dicts, lists and tuples. It returns dicts and lists: a tuple becomes a list, a
BatchEncoding of transformers a dict.

Symptom: none: two losses on the device of the model
Needs:   torch; cpu or cuda; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch import nn

if torch.cuda.is_available():
    device = "cuda"
elif tuple(int(n) for n in torch.__version__.split(".")[:2]) >= (1, 13):
    device = "meta"  # a device without memory: the same rule, without a GPU
else:
    print("SKIPPED a CUDA device or torch 1.13 (device meta) is needed")
    sys.exit(77)


def to_device(batch, device):
    if torch.is_tensor(batch):
        return batch.to(device)
    if hasattr(batch, "items"):  # a dict or a BatchEncoding
        return {name: to_device(value, device) for name, value in batch.items()}
    if isinstance(batch, (list, tuple)):
        return [to_device(value, device) for value in batch]
    return batch  # a name, a number


if __name__ == "__main__":
    model = nn.Linear(4, 2).to(device)
    batch = {"image": torch.ones(3, 4), "name": "a.png",
             "target": {"boxes": [torch.ones(3, 2), torch.zeros(3, 2)]}}
    batch = to_device(batch, next(model.parameters()).device)  # FIX: all levels
    scores = model(batch["image"])
    losses = [nn.functional.mse_loss(scores, boxes) for boxes in batch["target"]["boxes"]]
    sum(losses).backward()

    devices = sorted({tensor.device.type for tensor in [model.weight.grad, *losses]})
    healthy = devices == [device] and len(losses) == 2
    print("OBSERVED", json.dumps({"healthy": healthy, "devices": devices, "losses": len(losses)}))
    sys.exit(0 if healthy else 1)
