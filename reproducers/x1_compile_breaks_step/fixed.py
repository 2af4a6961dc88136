"""X1: the part without the print is compiled, and the step runs.

torch.compile() traces Python code into a graph. A print, or a branch on the value of a tensor,
cannot be part of it. The graph ends there, and fullgraph=True makes that an error.

Symptom: none: 3 steps, the loss falls
Needs:   torch; cpu; about 4 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
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
        print("batch of", len(inputs), file=sys.stderr)
        return self.body(inputs)


if __name__ == "__main__":
    torch.manual_seed(0)
    net = model = Net()
    net.body = torch.compile(net.body, backend="eager", fullgraph=True)  # FIX: without the print
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    inputs, losses = torch.randn(16, 4), []
    for step in range(3):
        optimizer.zero_grad()
        loss = model(inputs).pow(2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

    healthy = len(losses) == 3 and losses[2] < losses[0]
    print("OBSERVED", json.dumps({"healthy": healthy}))
    sys.exit(0 if healthy else 1)
