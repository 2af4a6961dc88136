"""P1: a function that finds the GradScaler of the installed torch.

New versions have torch.amp.GradScaler with the device as its first argument. Older versions have
torch.cuda.amp.GradScaler without it.

Symptom: none
Needs:   torch; cpu; about 3 s
Run:     python broken_new_name.py; python fix_new_name.py
"""
import json
import sys

import torch


def make_scaler(device, **options):  # FIX: the name that this torch has
    new = hasattr(getattr(torch, "amp", None), "GradScaler")
    module, arguments = (torch.amp, [device]) if new else (torch.cuda.amp, [])
    return module.GradScaler(*arguments, **options)


if __name__ == "__main__":
    scaler = make_scaler("cpu", enabled=False)

    healthy = scaler.scale(torch.ones(1)).item() == 1
    print("OBSERVED", json.dumps({"healthy": healthy, "scale": scaler.get_scale()}))
    sys.exit(0 if healthy else 1)
