"""X3: batches are padded to a multiple of 64, and few lengths are left.

For code that needs fixed shapes, such as CUDA graphs.

Symptom: none: compiled once for 12 lengths
Needs:   torch; cpu; about 6 s
Run:     python fix_pad_to_bucket.py
"""
import json
import sys

import torch
from torch import nn

if sys.version_info[:2] == (3, 11) and torch.__version__.startswith("2.0."):
    print("SKIPPED torch 2.0 does not compile on Python 3.11")
    sys.exit(77)
if not hasattr(torch, "compile"):
    print("SKIPPED torch.compile is new in torch 2.0")
    sys.exit(77)

steps = 12
graphs = []


def count(graph, example_inputs):
    """A backend that only counts how often torch.compile compiles."""
    graphs.append(graph)
    return graph.forward


if __name__ == "__main__":
    torch.manual_seed(0)
    net = torch.compile(nn.Linear(4, 4), backend=count, dynamic=False)
    lengths = []
    for length in range(2, 2 + steps):
        padded = -(-length // 64) * 64  # FIX: 64, 128, 192, …
        output = net(torch.zeros(padded, 4))[:length]
        output.sum().backward()
        lengths.append(len(output))

    healthy = 0 < len(graphs) <= 2 and lengths == list(range(2, 2 + steps))
    print("OBSERVED", json.dumps({"healthy": healthy, "lengths": len(lengths),
                                  "compiled": len(graphs)}))
    sys.exit(0 if healthy else 1)
