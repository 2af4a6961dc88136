"""N4: memory grows with every step because logged losses or hook outputs are kept.

A tensor that was computed keeps its graph: every activation that backward() would need. Kept in
a list, each step's graph stays. backward() frees those activations, so the big growth comes
where no backward() is called, in validation; what a list keeps of an output itself stays in any
case.

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
        net.register_forward_hook(  # BUG: one more in every epoch, none is removed
            lambda module, inputs, output: norms.append(output.norm().item()))
        before = len(norms)
        for _ in range(steps_per_epoch):
            net(torch.randn(3, 4)).sum().backward()
        calls_by_epoch.append(len(norms) - before)

    healthy = calls_by_epoch == [steps_per_epoch] * epochs
    print("OBSERVED", json.dumps({"healthy": healthy, "hook_calls_by_epoch": calls_by_epoch,
                                  "steps_by_epoch": [steps_per_epoch] * epochs}))
    sys.exit(0 if healthy else 1)
