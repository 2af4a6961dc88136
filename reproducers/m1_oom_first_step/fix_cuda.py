"""M1: on a GPU, the same batch fits in parts of 1024 samples, whose gradients add up.

In training every layer keeps what backward() needs of it. These activations grow with the batch
size, and so does most of the memory of a small model.

Symptom: none: 2 steps
Needs:   torch; cuda; about 5 s
Run:     python broken_cuda.py; python fix_cuda.py; diff broken_cuda.py fix_cuda.py
"""
import json
import sys

import torch
from torch import nn

num_samples, steps = 8192, 2


def block():
    return nn.Sequential(nn.Linear(128, 512), nn.ReLU(), nn.Linear(512, 128))


def limit_memory(mib):
    """Plays a full GPU: this process gets this much of it, and no more."""
    whole = torch.cuda.get_device_properties(0).total_memory
    torch.cuda.set_per_process_memory_fraction((mib << 20) / whole)


if __name__ == "__main__":
    if not torch.cuda.is_available():
        print("SKIPPED no GPU")
        sys.exit(77)
    torch.manual_seed(0)
    model = nn.Sequential(*[block() for _ in range(8)]).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    inputs, labels = torch.randn(2, num_samples, 128, device="cuda")
    limit_memory(160)
    steps_done = 0
    for step in range(steps):
        optimizer.zero_grad()
        for part, wanted in zip(inputs.split(1024), labels.split(1024)):  # FIX: 1024 at a time
            loss = nn.functional.mse_loss(model(part), wanted) * len(part) / len(inputs)  # FIX
            loss.backward()  # FIX: frees the activations of this part
        optimizer.step()
        steps_done += 1

    peak = torch.cuda.max_memory_allocated() >> 20
    healthy = steps_done == steps
    print("OBSERVED", json.dumps({"healthy": healthy, "steps_done": steps_done, "peak_mib": peak}))
    sys.exit(0 if healthy else 1)
