"""X3: with fullgraph=True the ninth compilation is an error.

Without fullgraph=True torch.compile gives up and runs the function without compiling it.

Symptom: FailOnRecompileLimitHit, or CacheLimitExceeded, for the ninth number of objects
Needs:   torch; cpu; about 6 s
Run:     python broken_fullgraph.py
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
    return sum(box.sum() for box in boxes)  # BUG: the length of the list is a constant


if __name__ == "__main__":
    torch.manual_seed(0)
    compiled, totals = torch.compile(total, backend=count, fullgraph=True), []
    for objects in range(1, 1 + steps):
        boxes = [torch.ones(4) for _ in range(objects)]
        totals.append(float(compiled(boxes)))

    healthy = 0 < len(graphs) <= 3 and totals == [4.0 * n for n in range(1, 1 + steps)]
    print("OBSERVED", json.dumps({"healthy": healthy, "images": steps, "compiled": len(graphs)}))
    sys.exit(0 if healthy else 1)
