"""N5: a random buffer drawn from a seeded generator can stay out of the checkpoint.

The constructor draws the projection from a generator with a fixed seed, so it gets the same numbers
in every process. The checkpoint need not contain them.

Symptom: none: the constructor repeats the projection, and the outputs are equal
Needs:   torch; cpu; about 2 s
Run:     python fix_rebuilt.py
"""
import json
import sys

import torch
from torch import nn


class Features(nn.Module):
    """Random features: a fixed random projection under a trained layer."""

    def __init__(self, dim):
        super().__init__()
        drawn = torch.Generator().manual_seed(7)  # FIX: the constructor can repeat it
        projection = torch.randn(dim, dim, generator=drawn)
        self.register_buffer("projection", projection, persistent=False)
        self.head = nn.Linear(dim, 1)

    def forward(self, x):
        return self.head(torch.cos(x @ self.projection))


if __name__ == "__main__":
    torch.manual_seed(0)
    model, x = Features(4), torch.randn(8, 4)
    loaded = Features(4)  # as in the next process: the random state differs
    loaded.load_state_dict(model.state_dict(), strict=True)

    same = torch.equal(model(x), loaded(x))
    healthy = same
    print("OBSERVED", json.dumps({"healthy": healthy, "keys_saved": len(model.state_dict()),
                                  "same_output_after_load": same}))
    sys.exit(0 if healthy else 1)
