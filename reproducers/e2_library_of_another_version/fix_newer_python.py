"""E2: default_factory makes a new config for each object, on every Python.

This is the line for your own class. A library has it in a newer release.

Symptom: none: the layer is made
Needs:   torch; cpu; about 2 s
Run:     python broken_newer_python.py; python fix_newer_python.py
"""
import json
import sys
from dataclasses import dataclass, field

import torch


@dataclass
class BlockConfig:
    width: int = 2


@dataclass
class ModelConfig:
    block: BlockConfig = field(default_factory=BlockConfig)  # FIX: as the message says


if __name__ == "__main__":
    layer = torch.nn.Linear(4, ModelConfig().block.width)

    healthy = layer.out_features == 2
    print("OBSERVED", json.dumps({"healthy": healthy, "width": layer.out_features}))
    sys.exit(0 if healthy else 1)
