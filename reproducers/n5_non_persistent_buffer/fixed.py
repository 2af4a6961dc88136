"""N5: a buffer registered with persistent=False is not in the checkpoint.

A non-persistent buffer moves with the model and is left out of state_dict(). Loading neither
finds nor expects it, so a strict load reports that all keys matched, and the buffer has whatever
the constructor gave it. That is right for what the constructor can compute, and wrong for the
rest.

Symptom: a strict load says that all keys matched; the buffer is 0.0 again, and the outputs
         differ
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import io
import json
import sys

import torch
from torch import nn


class Centre(nn.Module):
    """Subtracts the mean of what it has seen in training."""

    def __init__(self, dim):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(dim))
        self.register_buffer("mean", torch.zeros(dim))  # FIX: persistent, and so saved

    def forward(self, x):
        if self.training:
            self.mean = 0.5 * self.mean + 0.5 * x.detach().mean(dim=0)
        return (x - self.mean) * self.scale


if __name__ == "__main__":
    model, x = Centre(2), torch.full((8, 2), 5.0)
    for _ in range(30):
        model(x)
    file = io.BytesIO()
    torch.save(model.state_dict(), file)
    file.seek(0)
    loaded = Centre(2)
    report = loaded.load_state_dict(torch.load(file), strict=True)

    same = torch.equal(model.eval()(x), loaded.eval()(x))
    healthy = same
    print("OBSERVED", json.dumps({
        "healthy": healthy, "keys_saved": len(model.state_dict()),
        "missing_keys": report.missing_keys, "same_output_after_load": same,
        "mean_before_and_after": [round(m.mean[0].item(), 3) for m in (model, loaded)]}))
    sys.exit(0 if healthy else 1)
