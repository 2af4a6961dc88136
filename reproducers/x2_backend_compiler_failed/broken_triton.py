"""X2: torch.compile fails in the first call on a GPU: triton is not installed.

On a GPU inductor writes triton code. triton comes with the Linux packages of torch from pip, but
not with those for Windows.

Symptom: Cannot find a working triton installation
Needs:   torch; cuda; about 20 s
Run:     python broken_triton.py
"""
import json
import sys

import torch

if not torch.cuda.is_available():
    print("SKIPPED triton is used on a GPU")
    sys.exit(77)
if not hasattr(torch, "compile"):
    print("SKIPPED torch.compile is new in torch 2.0")
    sys.exit(77)


if __name__ == "__main__":
    sys.modules["triton"] = None  # as if it were not installed
    net = torch.compile(torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU()).cuda())
    inputs = torch.randn(16, 8, device="cuda")
    size = len(net(inputs))  # BUG: needs triton

    healthy = size == len(inputs)
    print("OBSERVED", json.dumps({"healthy": healthy, "size": size}))
    sys.exit(0 if healthy else 1)
