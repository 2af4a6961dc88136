"""X2: suppress_errors=True hides the missing compiler, and nothing is compiled.

The step runs as plain Python code. The cache has no compiled library in it.

Symptom: 3 steps, and no compiled file
Needs:   torch; cpu, linux; about 8 s
Run:     python trap_suppress_errors.py
"""
import json
import os
import sys
import tempfile

import torch

if sys.version_info[:2] == (3, 11) and torch.__version__.startswith("2.0."):
    print("SKIPPED torch 2.0 does not compile on Python 3.11")
    sys.exit(77)
if not hasattr(torch, "compile"):
    print("SKIPPED torch.compile is new in torch 2.0")
    sys.exit(77)

steps = 3


if __name__ == "__main__":
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    inputs = torch.randn(16, 8)
    with tempfile.TemporaryDirectory() as cache:
        os.environ.update(PATH="", CXX="g++", TORCHINDUCTOR_CACHE_DIR=cache)  # no compiler here
        torch._dynamo.config.suppress_errors = True  # BUG: tries to compile, then runs plain torch
        net = torch.compile(model)
        losses = []
        for step in range(steps):
            optimizer.zero_grad()
            loss = net(inputs).pow(2).mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        compiled = [name for folder, _, names in os.walk(cache) for name in names
                    if name.endswith(".so")]

    healthy = len(losses) == steps and len(compiled) > 0
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": len(losses),
                                  "compiled_files": len(compiled)}))
    sys.exit(0 if healthy else 1)
