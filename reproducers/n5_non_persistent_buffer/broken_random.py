"""N5: a random buffer with persistent=False differs in every process.

A non-persistent buffer is not in the checkpoint, so the next process draws it again, with other
numbers. A strict load does not expect its key and reports that all keys matched.

Symptom: a strict load succeeds, but the projection is a different one and the outputs differ
Needs:   torch; cpu; about 2 s
Run:     python broken_random.py; python fix_rebuilt.py
"""
import json
import sys

import torch
from torch import nn


class Features(nn.Module):
    """Random features: a fixed random projection under a trained layer."""

    def __init__(self, dim):
        super().__init__()
        projection = torch.randn(dim, dim)
        self.register_buffer("projection", projection, persistent=False)  # BUG: drawn again
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
