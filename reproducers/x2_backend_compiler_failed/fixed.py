"""X2: one trial step decides whether the job trains with torch.compile or without it.

The trial compiles forward and backward. If it raises, the reason is printed and the job trains with
the model as it is.

Symptom: none: the reason on stderr, and 3 steps
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


def compile_if_possible(model, example):
    try:
        compiled = torch.compile(model)  # raises on a Python that it does not know yet
        compiled(example).sum().backward()  # several outputs: use your loss
        return compiled, ""
    except Exception as error:
        model.zero_grad()
        return model, f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    inputs = torch.randn(16, 8)
    with tempfile.TemporaryDirectory() as cache:
        os.environ.update(PATH="", CXX="g++", TORCHINDUCTOR_CACHE_DIR=cache)  # no compiler here
        net, why = compile_if_possible(model, inputs)  # FIX: one trial call, then plain torch
        print("training without torch.compile:", why.strip().split("\n")[0], file=sys.stderr)
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
