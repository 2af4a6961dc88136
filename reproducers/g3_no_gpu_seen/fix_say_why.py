"""G3: say why torch sees no GPU, before the run begins.

The build, the variable that hides GPUs and the driver are looked at in this order.

Symptom: none: on a machine without a GPU there is a reason
Needs:   torch; cpu or cuda; about 3 s
Run:     python fix_say_why.py
"""
import json
import sys

import torch


def why_no_gpu(hidden):
    if torch.cuda.is_available():
        return None
    if torch.version.cuda is None and torch.version.hip is None:
        return f"torch {torch.__version__} is built for the CPU"
    if hidden in ("", "-1"):
        return f"CUDA_VISIBLE_DEVICES={hidden!r} hides the GPUs"
    return "no driver, or none that fits: run nvidia-smi"


if __name__ == "__main__":
    reason = why_no_gpu(hidden=None)  # FIX: a reason before the first step
    if reason:
        print("no GPU:", reason)

    healthy = (reason is None) == (torch.cuda.device_count() > 0)
    print("OBSERVED", json.dumps({"healthy": healthy, "reason": reason}))
    sys.exit(0 if healthy else 1)
