"""P1: torch.amp.GradScaler does not exist in older versions of torch.

Code for a new torch uses torch.amp.GradScaler("cuda"). Older versions have it only under
torch.cuda.amp.

Symptom: AttributeError: module 'torch.amp' has no attribute 'GradScaler'
Needs:   torch; cpu; about 3 s
Run:     python broken_new_name.py; python fix_new_name.py
"""
import json
import sys

import torch

if __name__ == "__main__":
    scaler = torch.amp.GradScaler("cpu", enabled=False)  # BUG: a new name

    healthy = scaler.scale(torch.ones(1)).item() == 1
    print("OBSERVED", json.dumps({"healthy": healthy, "scale": scaler.get_scale()}))
    sys.exit(0 if healthy else 1)
