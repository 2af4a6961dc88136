"""E5: an optional import failed silently, and the name is missing much later.

Libraries import optional packages inside of `try`, and so do many programs. If nothing checks
whether it worked, the error comes at the first use.

Symptom: NameError: name 'ModelEmaV2' is not defined
Needs:   torch; cpu; about 3 s
Run:     python broken_silenced.py
"""
import json
import sys

import torch

try:
    from timm.utils import ModelEmaV2
except ImportError:
    print("timm is not installed")  # BUG: the program goes on without the name


if __name__ == "__main__":
    if "timm" in sys.modules:
        print("SKIPPED timm is installed")
        sys.exit(77)
    model = torch.nn.Linear(4, 2)
    average = ModelEmaV2(model, decay=0.9)

    healthy = average.module.out_features == 2
    print("OBSERVED", json.dumps({"healthy": healthy, "name": type(average).__name__}))
    sys.exit(0 if healthy else 1)
