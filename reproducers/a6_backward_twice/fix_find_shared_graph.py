"""A6: a check that names the operations which two steps share.

The check compares the nodes of the graphs of two steps. Parameters are shared by design and are
left out.

Symptom: none: the check names the sigmoid that was computed once
Needs:   torch; cpu; about 2 s
Run:     python fix_find_shared_graph.py
"""
import json
import sys

import torch
from torch import nn


def nodes_of(loss):
    """Every node of the graph behind this loss, without the parameters."""
    found, todo = set(), [loss.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in found:
            found.add(node)
            todo += [following for following, _ in node.next_functions]
    return {node for node in found if type(node).__name__ != "AccumulateGrad"}


def shared_nodes(compute_loss):
    """What the graphs of two steps have in common: it should be nothing."""
    first = nodes_of(compute_loss())
    return sorted(type(node).__name__ for node in first & nodes_of(compute_loss()))


if __name__ == "__main__":
    torch.manual_seed(0)
    weight = nn.Parameter(torch.ones(3))
    outside = torch.sigmoid(weight)

    def step_that_shares():
        return (torch.randn(3) * outside).sum()

    def step_of_its_own():
        inside = torch.sigmoid(weight)
        return (torch.randn(3) * inside).sum()

    shared, separate = shared_nodes(step_that_shares), shared_nodes(step_of_its_own)

    # FIX: names the operation that two steps share, and nothing if each has its own graph
    healthy = len(shared) == 1 and shared[0].startswith("Sigmoid") and separate == []
    print("OBSERVED", json.dumps({"healthy": healthy, "shared": shared, "separate": separate}))
    sys.exit(0 if healthy else 1)
