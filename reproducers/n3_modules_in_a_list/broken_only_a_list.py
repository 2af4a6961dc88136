"""N3: a model whose layers are all in a plain list has no parameters.

nn.Module does not look into a list, so none of the layers is registered. parameters() is empty.

Symptom: ValueError: optimizer got an empty parameter list
Needs:   torch; cpu; about 2 s
Run:     python broken_only_a_list.py
"""
import json
import sys

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(8, 8) for _ in range(2)]  # BUG: the model has no parameter at all

    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x))
        return x


if __name__ == "__main__":
    optimizer = torch.optim.SGD(Net().parameters(), lr=0.1)

    found = len(optimizer.param_groups[0]["params"])
    healthy = found == 4
    print("OBSERVED", json.dumps({"healthy": healthy, "parameters_found": found}))
    sys.exit(0 if healthy else 1)
