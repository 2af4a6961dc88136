"""X2: torch.compile fails in the first call: this machine has no C++ compiler.

On a CPU the default backend, inductor, writes C++ code and compiles it. Containers made for running
programs often have no compiler. torch.compile() itself compiles nothing, so it does not notice.

Symptom: InvalidCxxCompiler: No working C++ compiler found, in the first step
Needs:   torch; cpu, linux; about 8 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
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
        net = torch.compile(model)  # BUG: needs a C++ compiler, in the first call of net
        losses = []
        for step in range(steps):
            optimizer.zero_grad()
            loss = net(inputs).pow(2).mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())

    healthy = len(losses) == steps and losses[2] < losses[1] < losses[0]
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": len(losses)}))
    sys.exit(0 if healthy else 1)
