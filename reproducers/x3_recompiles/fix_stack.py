"""X3: the boxes are one tensor, whose size may change.

torch.stack() is called before the compiled function.

Symptom: none: compiled at most 3 times for 12 images
Needs:   torch; cpu; about 6 s
Run:     python fix_stack.py
"""
import json
import sys

import torch

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


def total(boxes):
    return boxes.sum()


if __name__ == "__main__":
    torch.manual_seed(0)
    compiled, totals = torch.compile(total, backend=count), []
    for objects in range(1, 1 + steps):
        boxes = [torch.ones(4) for _ in range(objects)]
        totals.append(float(compiled(torch.stack(boxes))))  # FIX: one tensor

    healthy = 0 < len(graphs) <= 3 and totals == [4.0 * n for n in range(1, 1 + steps)]
    print("OBSERVED", json.dumps({"healthy": healthy, "images": steps, "compiled": len(graphs)}))
    sys.exit(0 if healthy else 1)
