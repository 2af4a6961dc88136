"""N4: a hook that is registered in every epoch runs more and more often.

register_forward_hook adds a hook and never replaces one. Each epoch adds another, and all of them
run in every step.

Symptom: 2 steps an epoch, and the hook is called 2, 4, 6 times
Needs:   torch; cpu; about 2 s
Run:     python broken_hook_added_again.py; python fix_hook_removed.py
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
        net.register_forward_hook(  # BUG: one more per epoch, never removed
            lambda module, inputs, output: norms.append(output.norm().item()))
        before = len(norms)
        for _ in range(steps_per_epoch):
            net(torch.randn(3, 4)).sum().backward()
        calls_by_epoch.append(len(norms) - before)

    healthy = calls_by_epoch == [steps_per_epoch] * epochs
    print("OBSERVED", json.dumps({"healthy": healthy, "hook_calls_by_epoch": calls_by_epoch,
                                  "steps_by_epoch": [steps_per_epoch] * epochs}))
    sys.exit(0 if healthy else 1)
