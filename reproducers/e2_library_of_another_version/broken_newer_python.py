"""E2: a library from before Python 3.11 cannot be imported: a config is a default.

Python 3.11 refuses each default that has no hash, and a dataclass has none. Before, only lists,
dicts and sets were refused.

Symptom: ValueError: mutable default <class …BlockConfig> for field block is not allowed
Needs:   torch; cpu; about 2 s
Run:     python broken_newer_python.py; python fix_newer_python.py
"""
import json
import sys
from dataclasses import dataclass

import torch


@dataclass
class BlockConfig:
    width: int = 2


@dataclass
class ModelConfig:
    block: BlockConfig = BlockConfig()  # BUG: refused from Python 3.11 on


if __name__ == "__main__":
    layer = torch.nn.Linear(4, ModelConfig().block.width)

    healthy = layer.out_features == 2
    print("OBSERVED", json.dumps({"healthy": healthy, "width": layer.out_features}))
    sys.exit(0 if healthy else 1)
