"""N4: a hook that is removed at the end of each epoch runs once per step.

register_forward_hook returns a handle. Its remove() takes the hook off the module, so each epoch
has one.

Symptom: none: 2 steps an epoch, and the hook is called 2, 2, 2 times
Needs:   torch; cpu; about 2 s
Run:     python fix_hook_removed.py
"""
import json
import sys

import torch
from torch import nn

epochs, steps_per_epoch = 3, 2

if __name__ == "__main__":
    torch.manual_seed(0)
    net, norms, calls_by_epoch = nn.Linear(4, 2), [], []
    for epoch in range(epochs):
        handle = net.register_forward_hook(
            lambda module, inputs, output: norms.append(output.norm().item()))
        before = len(norms)
        for _ in range(steps_per_epoch):
            net(torch.randn(3, 4)).sum().backward()
        handle.remove()  # FIX: before the next one is added
        calls_by_epoch.append(len(norms) - before)

    healthy = calls_by_epoch == [steps_per_epoch] * epochs
    print("OBSERVED", json.dumps({"healthy": healthy, "hook_calls_by_epoch": calls_by_epoch,
                                  "steps_by_epoch": [steps_per_epoch] * epochs}))
    sys.exit(0 if healthy else 1)
