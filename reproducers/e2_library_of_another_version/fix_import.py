"""E2: the optimizer of torch in place of the one that transformers removed.

Old and new releases of transformers work with it.

Symptom: none: one step of AdamW lowers the weight
Needs:   torch; cpu; about 2 s
Run:     python broken_import.py; python fix_import.py
"""
import json
import sys

import torch
from torch.optim import AdamW  # FIX: torch has it since 1.2

if __name__ == "__main__":
    weight = torch.nn.Parameter(torch.ones(1))
    optimizer = AdamW([weight], lr=0.1)
    (weight ** 2).sum().backward()
    optimizer.step()

    healthy = weight.item() < 1
    print("OBSERVED", json.dumps({"healthy": healthy, "weight": round(weight.item(), 4)}))
    sys.exit(0 if healthy else 1)
