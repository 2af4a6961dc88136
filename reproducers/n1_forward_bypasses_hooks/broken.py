"""N1: hooks never fire when forward() is called directly.

Hooks are run by Module.__call__, not by forward(): `model(x)` runs the pre-hooks, then forward(),
then the forward hooks of that module. `model.forward(x)` runs only the middle part, so everything
built on hooks, or on a wrapper's own forward(), is skipped.

Symptom: 3 steps; the hooks of the model and its encoder never fire, the head's hook fires 3 times
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch import nn

steps = 3


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(4, 8), nn.ReLU())
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        return self.head(self.encoder.forward(x))  # BUG: skips the encoder's hooks


if __name__ == "__main__":
    torch.manual_seed(0)
    net, x = Net(), torch.randn(3, 4)
    fired = {"net": 0, "encoder": 0, "head": 0}

    def count(name):
        def hook(module, inputs, output):
            fired[name] += 1
        return hook

    net.register_forward_hook(count("net"))
    net.encoder.register_forward_hook(count("encoder"))
    net.head.register_forward_hook(count("head"))
    for _ in range(steps):
        logits = net.forward(x)  # BUG: skips the hooks of net

    fired = list(fired.values())
    healthy = fired == [steps] * 3
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": steps,
                                  "hooks_fired_by_net_encoder_head": fired,
                                  "output": [round(v, 4) for v in logits[0].tolist()]}))
    sys.exit(0 if healthy else 1)
