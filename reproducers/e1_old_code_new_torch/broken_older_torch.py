"""E1: the code is newer than the installed torch.

torch.compile() exists since torch 2.0. An older torch has no such attribute.

Symptom: AttributeError: module 'torch' has no attribute 'compile' (torch 1.13 and older)
Needs:   torch; cpu; about 2 s
Run:     python broken_older_torch.py; python fix_older_code.py
"""
import json
import sys

import torch

if __name__ == "__main__":
    layer = torch.nn.Linear(2, 1)
    model = torch.compile(layer, backend="eager")  # BUG: needs torch 2.0

    healthy = list(model.parameters())[0] is layer.weight
    print("OBSERVED", json.dumps({"healthy": healthy, "torch": torch.__version__}))
    sys.exit(0 if healthy else 1)
