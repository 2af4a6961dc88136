"""X3: a step counter in the model makes torch.compile compile in each step.

Python numbers of a module are constants of the compiled code. The counter has a new value in
each call, so nothing fits that was compiled before. After 8 times torch.compile gives up.

Symptom: a warning: torch._dynamo hit config.recompile_limit (8); slow steps
Needs:   torch; cpu; about 6 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
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


class WarmUp(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.calls = 0  # BUG: each new value is a new constant

    def forward(self, x):
        self.calls += 1
        return self.layer(x) * self.calls / (self.calls + 100)


if __name__ == "__main__":
    torch.manual_seed(0)
    model = WarmUp()
    net = torch.compile(model, backend=count)
    for step in range(steps):
        net(torch.ones(2, 4)).sum().backward()

    healthy = 0 < len(graphs) <= 2 and float(model.calls) == steps
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": steps, "compiled": len(graphs)}))
    sys.exit(0 if healthy else 1)
