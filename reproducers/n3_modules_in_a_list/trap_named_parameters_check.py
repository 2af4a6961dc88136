"""N3: submodules in a plain Python list or dict are unknown to their model.

nn.Module registers a submodule when it is assigned as an attribute. A list or a dict is assigned
as what it is; the modules in it are not looked at. So parameters(), to(), state_dict(), train()
and eval() pass them by, while forward() uses them all the same, and gradients reach them.

Symptom: the usual check of optimizer against named_parameters() finds 0 untrained tensors where
         there are 4
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
    return [name for name, p in model.named_parameters()  # BUG: the model does not know
            if p.requires_grad and id(p) not in known]


def untrained_by_graph(loss, optimizer):
    """The leaves that this loss sends gradients to, less those that the optimizer has."""
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
