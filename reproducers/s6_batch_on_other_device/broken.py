"""S6: only a part of the batch is on the device of the model.

The loop moves the tensors that lie in the batch itself. The boxes are one level deeper, in a list
in a dict, and stay on the CPU.

Symptom: Expected all tensors to be on the same device, but found at least two devices
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

if __name__ == "__main__":
    model = nn.Linear(4, 2).to(device)
    batch = {"image": torch.ones(3, 4), "name": "a.png",
             "target": {"boxes": [torch.ones(3, 2), torch.zeros(3, 2)]}}
    batch = {name: value.to(device) if torch.is_tensor(value) else value  # BUG: one level only
             for name, value in batch.items()}
    scores = model(batch["image"])
    losses = [nn.functional.mse_loss(scores, boxes) for boxes in batch["target"]["boxes"]]
    sum(losses).backward()

    devices = sorted({tensor.device.type for tensor in [model.weight.grad, *losses]})
    healthy = devices == [device] and len(losses) == 2
    print("OBSERVED", json.dumps({"healthy": healthy, "devices": devices, "losses": len(losses)}))
    sys.exit(0 if healthy else 1)
