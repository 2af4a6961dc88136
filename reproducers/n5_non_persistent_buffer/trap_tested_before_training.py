"""N5: a save-and-load test of a new model cannot find a buffer that is not saved.

Before training, the buffer holds what the constructor gave it, in the saved model and in the loaded
one. They differ only after the buffer has learnt something.

Symptom: the test of the new model passes; after 3 steps of training it fails
Needs:   torch; cpu; about 2 s
Run:     python trap_tested_before_training.py
"""
import copy
import json
import sys

import torch
from torch import nn


class Centre(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(dim))
        self.register_buffer("mean", torch.zeros(dim), persistent=False)

    def forward(self, x):
        if self.training:
            self.mean = 0.5 * self.mean + 0.5 * x.detach().mean(dim=0)
        return (x - self.mean) * self.scale


def survives_round_trip(model, build, example):
    clone = build().to(example.device)
    clone.load_state_dict(copy.deepcopy(model.state_dict()))
    modes = [(module, module.training) for module in model.modules()]
    with torch.no_grad():
        same = torch.equal(model.eval()(example), clone.eval()(example))
    for module, mode in modes:
        module.training = mode
    return same


if __name__ == "__main__":
    model, x = Centre(2), torch.full((8, 2), 5.0)
    test_says = survives_round_trip(model, lambda: Centre(2), x)  # BUG: nothing is learnt yet
    for _ in range(3):
        model(x)
    after_training = survives_round_trip(model, lambda: Centre(2), x)

    healthy = test_says == after_training
    print("OBSERVED", json.dumps({"healthy": healthy, "same_output_of_a_new_model": test_says,
                                  "same_output_after_3_steps": after_training}))
    sys.exit(0 if healthy else 1)
