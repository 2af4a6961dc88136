"""E2: an import names what the installed transformers does not have any more.

transformers once had an AdamW of its own. A newer release has removed it, so the import fails
before anything of the program runs.

Symptom: ImportError: cannot import name 'AdamW' from 'transformers'
Needs:   torch, transformers; cpu; about 10 s
Run:     python broken_import.py; python fix_import.py
"""
import json
import sys

import torch

try:
    import transformers
except ImportError:
    print("SKIPPED transformers is not installed")
    sys.exit(77)
if int(transformers.__version__.split(".")[0]) < 5:
    print("SKIPPED transformers is older than 5")
    sys.exit(77)
from transformers import AdamW  # BUG: removed

if __name__ == "__main__":
    weight = torch.nn.Parameter(torch.ones(1))
    optimizer = AdamW([weight], lr=0.1)
    (weight ** 2).sum().backward()
    optimizer.step()

    healthy = weight.item() < 1
    print("OBSERVED", json.dumps({"healthy": healthy, "weight": round(weight.item(), 4)}))
    sys.exit(0 if healthy else 1)
