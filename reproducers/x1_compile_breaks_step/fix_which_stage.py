"""X1: four runs with more and more of the compiler name the stage that fails.

torch.compile() works in three stages: tracing, autograd, code generation. backend="eager" runs
only the first one, "aot_eager" the first two. The first that fails shows where the fault is.

Symptom: none: own code, tracing and code generation are told apart, and a correct function passes
Needs:   torch; cpu; about 4 s
Run:     python fix_which_stage.py
"""
import json
import sys

import torch
from torch import nn

if tuple(int(n) for n in torch.__version__.split(".")[:2]) < (2, 4):
    print("SKIPPED torch.compile() is checked from torch 2.4 on")
    sys.exit(77)


def first_failing_stage(function, inputs, backend):
    """The first of four runs that raises. backend: the one you use; the default is inductor."""
    stages = {"your code": None, "tracing": "eager", "autograd": "aot_eager",
              "code generation": backend}
    for stage, name in stages.items():
        torch._dynamo.reset()
        try:
            run = torch.compile(function, backend=name, fullgraph=True) if name else function
            run(inputs).sum().backward()
        except Exception as error:
            return f"{stage}: {type(error).__name__}"
    return "none"


def broken_backend(graph, example_inputs):
    raise RuntimeError("no C++ compiler")


def branches(inputs):
    return inputs * 2 if inputs.sum() > 0 else inputs


if __name__ == "__main__":
    torch.manual_seed(0)
    inputs = torch.ones(3, 4, requires_grad=True)
    found = [first_failing_stage(nn.Linear(5, 1), inputs, "eager"),  # FIX
             first_failing_stage(branches, inputs, "eager").split(":")[0],
             first_failing_stage(nn.Linear(4, 1), inputs, broken_backend),
             first_failing_stage(nn.Linear(4, 1), inputs, "eager")]

    healthy = found == ["your code: RuntimeError", "tracing",
                         "code generation: BackendCompilerFailed", "none"]
    print("OBSERVED", json.dumps({"healthy": healthy, "found": found}))
    sys.exit(0 if healthy else 1)
