"""O2: a walk through the graph of the loss finds what the optimizer does not hold.

The check follows the graph of the loss back to all tensors that get a gradient, whether or not the
model registers them. Each of them must be in the optimizer.

Symptom: none: three programs with a fault, one without; the check counts the missing tensors of
         each
Needs:   torch; cpu; about 2 s
Run:     python fix_check_by_graph.py
"""
import json
import sys

import torch
from torch import nn


def missing_from(optimizer, loss):
    """Every tensor that this loss sends a gradient to, and that the optimizer does not hold."""
    held = {id(p) for group in optimizer.param_groups for p in group["params"]}
    todo, seen, missing = [loss.grad_fn], set(), []
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable") and id(node.variable) not in held:
            missing.append(node.variable)
        todo += [parent for parent, _ in node.next_functions]
    return missing


class PlainList(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(16, 16), nn.Linear(16, 16)]  # dpkb: ignore[N3]
        self.head = nn.Linear(16, 5)

    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x))
        return self.head(x)


torch.manual_seed(0)
inputs, labels = torch.randn(64, 16), torch.randint(5, (64,))


def check(replaced_head=False, plain_list=False, weight_in_loss=False):
    """The number of tensors that the check finds in one program; the arguments build faults in."""
    layers = nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 5)
    model = PlainList() if plain_list else nn.Sequential(*layers)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    if replaced_head:
        model[2] = nn.Linear(16, 5)
    log_sigma = nn.Parameter(torch.zeros(())) if weight_in_loss else torch.zeros(())
    loss = nn.functional.cross_entropy(model(inputs), labels) * torch.exp(-log_sigma) + log_sigma

    missing = missing_from(optimizer, loss)  # FIX: ask the loss, not the names in the model
    if missing:
        print("not in the optimizer:", [tuple(p.shape) for p in missing])
    return len(missing)


if __name__ == "__main__":
    found = {"none": check(), "replaced head": check(replaced_head=True),
             "plain list of 2 layers": check(plain_list=True),
             "learnable weight in the loss": check(weight_in_loss=True)}
    healthy = list(found.values()) == [0, 2, 4, 1]
    print("OBSERVED", json.dumps({"healthy": healthy, "tensors_found_by_fault": found}))
    sys.exit(0 if healthy else 1)
