"""E6: the subclass calls __init__ of the base class first.

Then all attributes that the base class sets are there.

Symptom: none
Needs:   torch; cpu; about 3 s
Run:     python fix_super.py
"""
import json
import sys

from torch import nn


class BaseTrainer:
    """What all trainers share."""

    def __init__(self, width):
        self.model = nn.Linear(width, 1)
        self.step = 0


class MultiTrainer(BaseTrainer):
    """A trainer for several devices."""

    def __init__(self, width, devices):
        super().__init__(width)  # FIX: sets model and step
        self.devices = devices


if __name__ == "__main__":
    trainer = MultiTrainer(4, ["cpu"])
    count = sum(p.numel() for p in trainer.model.parameters())

    healthy = count == 5
    print("OBSERVED", json.dumps({"healthy": healthy, "parameters": count}))
    sys.exit(0 if healthy else 1)
