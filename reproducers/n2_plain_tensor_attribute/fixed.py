"""N2: a tensor registered as a buffer is moved and saved.

register_buffer adds the tensor to the tensors that to(), cuda(), half() and state_dict() visit. It
is moved and saved with the model, and it is not trained.

Symptom: none: the mean of 5.0 survives save and load, and to(float64) converts it
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
        self.register_buffer("mean", torch.zeros(dim))  # FIX: moved and saved, not trained

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
    report = loaded.load_state_dict(torch.load(file))

    same = torch.equal(model.eval()(x), loaded.eval()(x))
    model.to(torch.float64)
    moved = model.mean.dtype == torch.float64
    means = [round(m.mean[0].item(), 3) for m in (model, loaded)]
    healthy = same and moved and means == [5.0, 5.0]
    print("OBSERVED", json.dumps({
        "healthy": healthy, "missing_keys": report.missing_keys, "same_output_after_load": same,
        "mean_before": means[0], "mean_loaded": means[1], "keys_saved": len(model.state_dict()),
        "converted_by_to": moved}))
    sys.exit(0 if healthy else 1)
