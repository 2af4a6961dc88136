"""X1: with suppress_errors=True the step runs, and nothing is compiled.

torch.compile() works in three stages: tracing, autograd, code generation. backend="eager" runs
only the first one, "aot_eager" the first two. The first that fails shows where the fault is.

Symptom: 3 steps, and the backend compiled 0 graphs
Needs:   torch; cpu; about 4 s
Run:     python trap_suppress_errors.py
"""
import json
import sys

import torch
from torch import nn

if tuple(int(n) for n in torch.__version__.split(".")[:2]) < (2, 4):
    print("SKIPPED torch.compile() is checked from torch 2.4 on")
    sys.exit(77)

tried, compiled = [], []


def generate_code(graph):
    raise RuntimeError("no C++ compiler")


def broken_backend(graph, example_inputs):
    tried.append(graph)
    compiled.append(generate_code(graph))



class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))

    def forward(self, inputs):
        return self.body(inputs)


if __name__ == "__main__":
    torch.manual_seed(0)
    net = Net()
    torch._dynamo.config.suppress_errors = True  # BUG: only a warning, no compiled code
    model = torch.compile(net, backend=broken_backend)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    inputs, losses = torch.randn(16, 4), []
    for step in range(3):
        optimizer.zero_grad()
        loss = model(inputs).pow(2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

    healthy = len(losses) == 3 and losses[2] < losses[0] and len(compiled) > 0
    print("OBSERVED", json.dumps({"healthy": healthy,
                                  "steps": len(losses), "graphs_tried": len(tried),
                                  "graphs_compiled": len(compiled)}))
    sys.exit(0 if healthy else 1)
