"""O2: a check over named_parameters() misses layers in a plain list.

named_parameters() does not list the layers in the plain list, and neither does the optimizer. A
comparison of the two finds nothing missing.

Symptom: the check by names reports nothing, while two layers never move
Needs:   torch; cpu; about 2 s
Run:     python trap_check_by_names.py
"""
import json
import sys

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(16, 16), nn.Linear(16, 16)]  # BUG: a plain list hides both
        self.head = nn.Linear(16, 5)

    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x))
        return self.head(x)


def leaves_of(loss):
    """Every tensor that this loss sends a gradient to, whether a module registered it or not."""
    todo, seen, leaves = [loss.grad_fn], set(), []
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            leaves.append(node.variable)
        todo += [parent for parent, _ in node.next_functions]
    return leaves


torch.manual_seed(0)
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

if __name__ == "__main__":
    inputs, labels = torch.randn(64, 16), torch.randint(5, (64,))
    hidden = model.layers[0].weight.detach().clone()
    for _ in range(5):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(inputs), labels)
        loss.backward()
        optimizer.step()
    loss = nn.functional.cross_entropy(model(inputs), labels)

    held = {id(p) for group in optimizer.param_groups for p in group["params"]}
    by_name = [name for name, p in model.named_parameters() if id(p) not in held]
    by_graph = [list(p.shape) for p in leaves_of(loss) if id(p) not in held]
    hidden_moved = not torch.equal(hidden, model.layers[0].weight)
    healthy = hidden_moved == (len(by_name) == 0)  # a check that reports nothing promises this
    print("OBSERVED", json.dumps({"healthy": healthy, "hidden_layers_moved": hidden_moved,
                                  "missing_by_names": len(by_name),
                                  "missing_by_graph": len(by_graph)}))
    sys.exit(0 if healthy else 1)
