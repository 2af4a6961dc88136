"""N4: memory grows with every step because logged losses or hook outputs are kept.

A tensor that was computed keeps its graph: every activation that backward() would need. Kept in
a list, each step's graph stays. backward() frees those activations, so the big growth comes
where no backward() is called, in validation; what a list keeps of an output itself stays in any
case.

Symptom: the graph behind the running sum of the loss grows with every step
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
