"""X3: with dynamic=False each length of a batch is compiled.

Texts are padded to the longest of their batch, so each batch has another length.

Symptom: recompile_limit (8) after eight lengths
Needs:   torch; cpu; about 6 s
Run:     python broken_shapes.py
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
    net = torch.compile(nn.Linear(4, 4), backend=count, dynamic=False)  # BUG: one graph a length
    lengths = []
    for length in range(2, 2 + steps):
        output = net(torch.ones(length, 4))
        output.sum().backward()
        lengths.append(len(output))

    healthy = 0 < len(graphs) <= 2 and lengths == list(range(2, 2 + steps))
    print("OBSERVED", json.dumps({"healthy": healthy, "lengths": len(lengths),
                                  "compiled": len(graphs)}))
    sys.exit(0 if healthy else 1)
