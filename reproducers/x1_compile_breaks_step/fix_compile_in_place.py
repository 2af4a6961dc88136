"""X1: Module.compile() keeps the class of the model and the names in its state_dict().

torch.compile(module) returns another object, an OptimizedModule that holds the original one. Code
that asks for the class of the model, or for names in its state_dict(), sees the wrapper.

Symptom: none: the class and the names in the state_dict are those of the model
Needs:   torch; cpu; about 4 s
Run:     python fix_compile_in_place.py
"""
import json
import sys

import torch
from torch import nn

if tuple(int(n) for n in torch.__version__.split(".")[:2]) < (2, 4):
    print("SKIPPED torch.compile() is checked from torch 2.4 on")
    sys.exit(77)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))

    def forward(self, inputs):
        return self.body(inputs)


def fit(model):
    """What a trainer does before the first step."""
    assert isinstance(model, Net), model
    return sorted(model.state_dict())


if __name__ == "__main__":
    torch.manual_seed(0)
    model = Net()
    model.compile(backend="eager")  # FIX: compiles the forward of this object
    names = fit(model)
    outputs = model(torch.randn(16, 4))
    graphs = torch._dynamo.utils.counters["stats"]["unique_graphs"]

    healthy = names[0] == "body.0.bias" and outputs.shape == (16, 1) and graphs == 1
    print("OBSERVED", json.dumps({"healthy": healthy, "graphs": graphs}))
    sys.exit(0 if healthy else 1)
