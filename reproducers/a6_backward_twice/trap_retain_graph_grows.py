"""A6: retain_graph=True makes each step go through all earlier steps.

Nothing in this graph needs a weight that has changed, so nothing is raised. The graph of each
step holds those of all steps before it.

Symptom: no error, and a graph that gets longer with every step
Needs:   torch; cpu; about 2 s
Run:     python trap_retain_graph_grows.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
encoder = nn.Linear(8, 4)
optimizer = torch.optim.SGD(encoder.parameters(), lr=0.1)
center = torch.zeros(4)


def training_step():
    global center
    features = encoder(torch.randn(32, 8) + 1)
    center = 0.9 * center + 0.1 * features.mean(dim=0)
    loss = (features - center).pow(2).mean()
    optimizer.zero_grad()
    loss.backward(retain_graph=True)  # BUG: keeps the graphs of all steps
    optimizer.step()
    return loss

def nodes_of(loss):
    """Every node of the graph behind this loss."""
    found, todo = set(), [loss.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in found:
            found.add(node)
            todo += [following for following, _ in node.next_functions]
    return found



if __name__ == "__main__":
    torch.set_num_threads(1)
    nodes_by_step = [len(nodes_of(training_step())) for _ in range(8)]

    healthy = nodes_by_step[-1] == nodes_by_step[0]
    print("OBSERVED", json.dumps({"healthy": healthy, "nodes_by_step": nodes_by_step}))
    sys.exit(0 if healthy else 1)
