"""O5: eval() without no_grad() keeps a graph for every loss.

eval() changes the behaviour of layers, not of autograd. Each kept loss holds its graph, and the
graph holds the activations.

Symptom: memory grows with every validation batch; under no_grad() the same loop stays flat
Needs:   torch, psutil; cpu, linux; about 3 s
Run:     python broken_eval_without_no_grad.py; python fixed.py
"""
import json
import sys

import torch
from torch import nn

try:
    import psutil
except ImportError:
    print("SKIPPED psutil is not installed")
    sys.exit(77)

torch.manual_seed(0)
hidden = 1024
model = nn.Sequential(nn.Linear(8, hidden), nn.ReLU(), nn.Linear(hidden, 1))
images, targets = torch.randn(1024, 8), torch.randn(1024, 1)
mib_per_activation = 1024 * hidden * 4 / 2**20


def growth_in_mib(steps=16):
    """Private memory that this process gains per validation batch."""
    total = 0
    for step in range(steps):
        if step == 4:  # let the allocator settle first
            start = psutil.Process().memory_full_info().uss
        total = total + nn.functional.mse_loss(model(images), targets)
    return (psutil.Process().memory_full_info().uss - start) / 2**20 / (steps - 4)


if __name__ == "__main__":
    model.eval()
    with torch.no_grad():
        without_graph = growth_in_mib()
    growth = growth_in_mib()  # BUG: eval() alone; each loss keeps its graph and its activations

    healthy = growth < mib_per_activation / 2
    print("OBSERVED", json.dumps({"healthy": healthy, "mib_per_batch": round(growth, 1),
                                  "mib_per_batch_under_no_grad": round(without_graph, 1),
                                  "mib_of_one_activation": mib_per_activation}))
    sys.exit(0 if healthy else 1)
