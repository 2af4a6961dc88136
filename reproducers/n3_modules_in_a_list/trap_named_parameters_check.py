"""N3: a check against named_parameters() cannot find layers in a plain list.

named_parameters() does not list the layers in the plain list. A check that compares it with the
optimizer therefore misses them in both.

Symptom: the check of the optimizer against named_parameters() finds 0 untrained tensors,
         the check of the loss's graph finds 4
Needs:   torch; cpu; about 2 s
Run:     python trap_named_parameters_check.py
"""
import json
import sys

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(8, 8) for _ in range(2)]
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x))
        return self.head(x)


def untrained_by_name(model, optimizer):
    known = {id(p) for group in optimizer.param_groups for p in group["params"]}
    return [name for name, p in model.named_parameters()  # BUG: not registered, so not listed
            if p.requires_grad and id(p) not in known]


def untrained_by_graph(loss, optimizer):
    """Shapes of the tensors that get gradients from this loss but are not in the optimizer."""
    known = {id(p) for group in optimizer.param_groups for p in group["params"]}
    todo, seen, leaves = [loss.grad_fn], set(), {}
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            leaves[id(node.variable)] = node.variable
        todo += [following for following, _ in node.next_functions]
    return [tuple(leaf.shape) for key, leaf in leaves.items() if key not in known]


if __name__ == "__main__":
    torch.manual_seed(0)
    net, x, y = Net(), torch.randn(16, 8), torch.randint(2, (16,))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    by_name = untrained_by_name(net, optimizer)
    by_graph = untrained_by_graph(nn.functional.cross_entropy(net(x), y), optimizer)

    healthy = len(by_name) == len(by_graph)
    print("OBSERVED", json.dumps({"healthy": healthy, "untrained_by_name": len(by_name),
                                  "untrained_by_graph": len(by_graph)}))
    sys.exit(0 if healthy else 1)
