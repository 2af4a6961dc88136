"""The work that a file takes grows with its length: code that was generated may have thousands of like parts."""

import sys
from itertools import chain

import pytest
from support.lint_file import file_of

from dpkb.lint.rules import all_rules

HEAD = """
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, DistributedSampler
model = nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), 0.1)
"""
PARTS = {
    "branches": "elif x == {n}:\n    x = torch.softmax(nn.Linear({n}, 1)(x), 1); F.cross_entropy(x, y / 255)",
    "samplers": "s{n} = DistributedSampler(d)\nfor e in range(3):\n    for b in DataLoader(d, sampler=s{n}): pass",
    "loops": "for x, y in loader:\n    F.cross_entropy(model(x), y).backward()\n    optimizer.step()",
    "assignments": "a{next} = a{n} + 1\nF.cross_entropy(a{n}, y)",
    "functions": "def f{next}(x):\n    return f{n}(x)\nF.cross_entropy(f{n}(x), y)",
    "frozen": "model.a{n}.b.c.requires_grad = False\nmodel.requires_grads = False\nmodel.a{n}.b.c.weight",
    "evaluations": "def validate{n}(model, loader):\n    for x in loader:\n        total += model(x)",
    "classes": "class N{n}(nn.Module):\n    def forward(self, x):\n        return x\nm{n} = N{n}()\nm{n}(x)",
    "decorated": "@torch.no_grad()\n@other\ndef f{n}(x):\n    model.eval()\n    return model(x)",
    "collectives": "if rank == {n}:\n    torch.distributed.barrier()",
    "literals": "layers = [{items}]\nd = {{'a': 1, {keys}}}\nif {tests}: F.cross_entropy(layers[0](x), y)",
    "layers": "class N(nn.Module):\n  def __init__(self):\n    self.a = nn.Linear(1, 1); {fields}",
}
ONE_STATEMENT = ("literals", "layers")


def count_calls(kind, length):
    """How many calls, of Python and of C functions, it takes to run all rules on a file with so many parts."""
    parts = (PARTS[kind].replace("{next}", str(n + 1)).replace("{n}", str(n)) for n in range(length))
    start = "if x == y:\n    pass" if kind == "branches" else ""
    code = "\n".join(chain([HEAD, start], parts))
    if kind in ONE_STATEMENT:
        many = {
            "items": ", ".join(["nn.Linear(1, 1)"] * length),
            "keys": ", ".join(f"'k{n}': {n}" for n in range(length)),
            "tests": " or ".join(f"x == {n}" for n in range(length)),
            "fields": "; ".join(f"self.l{n} = nn.Linear(1, 1)" for n in range(length)),
        }
        code = HEAD + PARTS[kind].format(**many)
    calls = 0

    def count(frame, event, argument):
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        file = file_of(code)
        for rule in all_rules().values():
            list(rule.check(file))
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.parametrize("kind", PARTS)
def test_twice_the_parts_take_twice_the_work(kind):
    count_calls(kind, 2)  # so that modules are imported
    assert count_calls(kind, 200) < 2.2 * count_calls(kind, 100)
