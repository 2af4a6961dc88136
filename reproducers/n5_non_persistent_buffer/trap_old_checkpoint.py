"""N5: old checkpoints do not load after a buffer was made persistent.

A checkpoint from the time when the buffer was non-persistent does not contain its key. A strict
load now expects it.

Symptom: Missing key(s) in state_dict
Needs:   torch; cpu; about 2 s
Run:     python trap_old_checkpoint.py; python fix_old_checkpoint.py
"""
import json
import sys

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, persistent):
        super().__init__()
        self.head = nn.Linear(4, 2)
        self.register_buffer("position_ids", torch.arange(4), persistent=persistent)

    def forward(self, x):
        return self.head(x + self.position_ids)


if __name__ == "__main__":
    old_checkpoint = Net(persistent=False).state_dict()
    net = Net(persistent=True)  # BUG: old checkpoints lack this key
    report = net.load_state_dict(old_checkpoint)

    healthy = not report.missing_keys
    print("OBSERVED", json.dumps({"healthy": healthy, "missing_keys": report.missing_keys}))
    sys.exit(0 if healthy else 1)
