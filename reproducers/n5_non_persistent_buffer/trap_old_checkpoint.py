"""N5: a buffer registered with persistent=False is not in the checkpoint.

A non-persistent buffer moves with the model and is left out of state_dict(). Loading neither
finds nor expects it, so a strict load reports that all keys matched, and the buffer has whatever
the constructor gave it. That is right for what the constructor can compute, and wrong for the
rest.

Symptom: with persistent=True from now on, an old checkpoint lacks a key: Missing key(s) in
         state_dict
Needs:   torch; cpu; about 2 s
Run:     python trap_old_checkpoint.py; python fixed.py
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
    net = Net(persistent=True)  # BUG: with the flag turned, old checkpoints lack a key
    report = net.load_state_dict(old_checkpoint)

    healthy = not report.missing_keys
    print("OBSERVED", json.dumps({"healthy": healthy, "missing_keys": report.missing_keys}))
    sys.exit(0 if healthy else 1)
