"""E6: a subclass has its own __init__, and that of the base class never runs.

The line self.model = ... exists, but nothing calls the method that it is in.

Symptom: AttributeError: 'MultiTrainer' object has no attribute 'model'
Needs:   torch; cpu; about 3 s
Run:     python broken_never_set.py
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
        # BUG: no super().__init__(width)
        self.devices = devices


if __name__ == "__main__":
    trainer = MultiTrainer(4, ["cpu"])
    count = sum(p.numel() for p in trainer.model.parameters())

    healthy = count == 5
    print("OBSERVED", json.dumps({"healthy": healthy, "parameters": count}))
    sys.exit(0 if healthy else 1)
