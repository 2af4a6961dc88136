"""N3: parameters in a ParameterList and a ParameterDict are registered.

A plain list of nn.Parameter is not registered either. nn.ParameterList and nn.ParameterDict are
the registered forms, and they are used like the list and the dict.

Symptom: none: the optimizer gets all 3 parameters, and all of them change
Needs:   torch; cpu; about 2 s
Run:     python fix_parameter_list.py
"""
import json
import sys

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scales = nn.ParameterList([nn.Parameter(torch.ones(8)) for _ in range(2)])  # FIX
        self.biases = nn.ParameterDict({"a": nn.Parameter(torch.zeros(8))})  # FIX

    def forward(self, x):
        for scale in self.scales:
            x = x * scale
        return x + self.biases["a"]


if __name__ == "__main__":
    net = Net()
    before = [parameter.detach().clone() for parameter in net.parameters()]
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    net(torch.ones(4, 8)).sum().backward()
    optimizer.step()

    moved = [not torch.equal(new, old) for new, old in zip(net.parameters(), before)]
    healthy = moved == [True] * 3
    print("OBSERVED", json.dumps({"healthy": healthy, "moved_by_parameter": moved}))
    sys.exit(0 if healthy else 1)
