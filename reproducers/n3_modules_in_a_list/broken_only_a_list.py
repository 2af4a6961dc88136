"""N3: submodules in a plain Python list or dict are unknown to their model.

nn.Module registers a submodule when it is assigned as an attribute. A list or a dict is assigned
as what it is; the modules in it are not looked at. So parameters(), to(), state_dict(), train()
and eval() pass them by, while forward() uses them all the same, and gradients reach them.

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
