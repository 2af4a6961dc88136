"""N1: every hook fires when the module itself is called.

The call runs the module's pre-hooks, then forward(), then its forward hooks. Inside the model the
encoder is called as well, so its hooks run too.

Symptom: none: 3 steps, and each of the three hooks fires 3 times
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
        return self.head(self.encoder(x))  # FIX


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
        logits = net(x)  # FIX: the call runs the hooks, and forward() between them

    fired = list(fired.values())
    healthy = fired == [steps] * 3
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": steps,
                                  "hooks_fired_by_net_encoder_head": fired,
                                  "output": [round(v, 4) for v in logits[0].tolist()]}))
    sys.exit(0 if healthy else 1)
