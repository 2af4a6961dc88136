"""N5: a learnt buffer with persistent=False is reset by save and load.

A non-persistent buffer moves with the model but is left out of state_dict(). A strict load neither
finds its key nor expects it, so it reports that all keys matched, and the buffer keeps whatever the
constructor gave it. That is right only for values that the constructor can compute.

Symptom: a strict load reports no missing key; the buffer is 0.0 again, and the outputs differ
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import io
import json
import sys

import torch
from torch import nn


class Centre(nn.Module):
    """Subtracts the running mean of its training inputs."""

    def __init__(self, dim):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(dim))
        self.register_buffer("mean", torch.zeros(dim), persistent=False)  # BUG: learnt state

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
    means = [round(m.mean[0].item(), 3) for m in (model, loaded)]
    healthy = same and means == [5.0, 5.0]
    print("OBSERVED", json.dumps({
        "healthy": healthy, "keys_saved": len(model.state_dict()),
        "missing_keys": report.missing_keys, "same_output_after_load": same,
        "mean_before_and_after": means}))
    sys.exit(0 if healthy else 1)
