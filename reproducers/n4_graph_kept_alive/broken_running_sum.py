"""N4: a running sum of losses keeps a graph that grows with every step.

Each addition makes a new tensor whose graph contains the graphs of all earlier losses. backward()
frees the activations, so memory grows slowly, by the nodes of the graph.

Symptom: the graph behind the sum has 27 nodes after 5 steps and 102 after 20
Needs:   torch; cpu; about 2 s
Run:     python broken_running_sum.py
"""
import json
import sys

import torch
from torch import nn

steps = 20


def graph_nodes(tensor):
    """How many nodes of the graph this tensor keeps alive."""
    todo, seen = [tensor.grad_fn], set()
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            todo += [following for following, _ in node.next_functions]
    return len(seen)


if __name__ == "__main__":
    torch.manual_seed(0)
    net, total, nodes = nn.Linear(4, 2), torch.zeros(()), []
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    for step in range(steps):
        loss = net(torch.randn(3, 4)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total = total + loss  # BUG: chains the graphs of all steps
        if step % 5 == 4:
            nodes.append(graph_nodes(total))

    healthy = nodes[-1] == nodes[0]
    print("OBSERVED", json.dumps({"healthy": healthy, "nodes_kept_by_5_10_15_20_steps": nodes}))
    sys.exit(0 if healthy else 1)
