"""N3: layers in a ModuleList and a ModuleDict train and are saved.

nn.ModuleList and nn.ModuleDict are modules themselves, so the layers inside them are registered.
parameters(), to(), state_dict(), train() and eval() reach all of them.

Symptom: none: the optimizer has all 8 parameters, and all layers move
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(8, 8) for _ in range(2)])  # FIX
        self.branches = nn.ModuleDict({"a": nn.Linear(8, 8)})  # FIX
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x))
        return self.head(self.branches["a"](x))


if __name__ == "__main__":
    torch.manual_seed(0)
    net, x, y = Net(), torch.randn(16, 8), torch.randint(2, (16,))
    every = [net.layers[0], net.layers[1], net.branches["a"], net.head]
    before = [layer.weight.detach().clone() for layer in every]
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        optimizer.step()
    net.eval()

    moved = [not torch.equal(layer.weight, old) for layer, old in zip(every, before)]
    healthy = moved == [True] * 4 and len(net.state_dict()) == 8
    print("OBSERVED", json.dumps({
        "healthy": healthy, "parameters_found": len(list(net.parameters())),
        "keys_in_state_dict": len(net.state_dict()), "moved_by_layer": moved,
        "training_after_eval_by_layer": [layer.training for layer in every]}))
    sys.exit(0 if healthy else 1)
