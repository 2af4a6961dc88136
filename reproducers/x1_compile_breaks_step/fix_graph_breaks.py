"""X1: without fullgraph=True the code around the print is compiled in parts.

torch.compile() traces Python code into a graph. A print, or a branch on the value of a tensor,
cannot be part of it. The graph ends there, and fullgraph=True makes that an error.

Symptom: none: 3 steps, and at least one graph was compiled
Needs:   torch; cpu; about 4 s
Run:     python fix_graph_breaks.py
"""
import json
import sys

import torch
from torch import nn

if tuple(int(n) for n in torch.__version__.split(".")[:2]) < (2, 4):
    print("SKIPPED torch.compile() is checked from torch 2.4 on")
    sys.exit(77)

graphs = []


def counting(graph, example_inputs):
    graphs.append(graph)
    return graph.forward


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))

    def forward(self, inputs):
        print("batch of", len(inputs), file=sys.stderr)
        return self.body(inputs)


if __name__ == "__main__":
    torch.manual_seed(0)
    net = Net()
    model = torch.compile(net, backend=counting)  # FIX: a graph may end at the print
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    inputs, losses = torch.randn(16, 4), []
    for step in range(3):
        optimizer.zero_grad()
        loss = model(inputs).pow(2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

    healthy = len(losses) == 3 and losses[2] < losses[0] and len(graphs) >= 1
    print("OBSERVED", json.dumps({"healthy": healthy, "graphs": len(graphs)}))
    sys.exit(0 if healthy else 1)
