"""C1: optimizer state is matched by position, not by parameter name.

If the groups are listed in another order when the optimizer is built again, they exchange their
momentum. Nothing is raised as long as the shapes fit.

Symptom: momentum 1.0 and 5.0 come back as 5.0 and 1.0
Needs:   torch; cpu; about 2 s
Run:     python trap_optimizer_order.py
"""
import json
import sys

import torch
from torch import nn


def make(names):
    model = nn.ModuleDict({name: nn.Linear(2, 2, bias=False) for name in ("encoder", "head")})
    groups = [{"params": model[name].parameters()} for name in names]
    return model, torch.optim.SGD(groups, lr=0.1, momentum=0.9)


def momentum(model, optimizer, name):
    return optimizer.state[model[name].weight]["momentum_buffer"][0, 0].item()


if __name__ == "__main__":
    model, optimizer = make(["encoder", "head"])
    for name, value in (("encoder", 1.0), ("head", 5.0)):
        model[name].weight.grad = torch.full((2, 2), value)
    optimizer.step()

    resumed, other = make(["head", "encoder"])  # BUG: state is matched by position, not by name
    resumed.load_state_dict(model.state_dict())
    other.load_state_dict(optimizer.state_dict())

    before = [momentum(model, optimizer, name) for name in ("encoder", "head")]
    after = [momentum(resumed, other, name) for name in ("encoder", "head")]
    healthy = before == after
    print("OBSERVED", json.dumps({"healthy": healthy, "momentum_of_encoder_and_head": before,
                                  "after_the_resume": after}))
    sys.exit(0 if healthy else 1)
