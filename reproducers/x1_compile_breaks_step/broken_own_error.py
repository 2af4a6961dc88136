"""X1: an error in the model itself arrives as a TorchRuntimeError of the compiler.

torch.compile() works in three stages: tracing, autograd, code generation. backend="eager" runs
only the first one, "aot_eager" the first two. The first that fails shows where the fault is.

Symptom: torch._dynamo.exc.TorchRuntimeError: ... a and b must have same reduction dim
Needs:   torch; cpu; about 4 s
Run:     python broken_own_error.py
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


if __name__ == "__main__":
    torch.manual_seed(0)
    model = torch.compile(Net(), backend="eager")
    outputs = model(torch.randn(16, 5))  # BUG: 5 features, and the layer has 4

    healthy = outputs.shape == (16, 1)
    print("OBSERVED", json.dumps({"healthy": healthy}))
    sys.exit(0 if healthy else 1)
