"""S15: a forecaster for 7 columns gets a table of 3.

enc_in=7 comes from the example, whose table has 7 columns besides the date. Conv1d takes columns
as channels.

Symptom: RuntimeError: ... expected input[4, 3, 26] to have 7 channels, but got 3 channels instead
Needs:   torch; cpu; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch import nn

columns = ["load", "temperature", "wind"]


class Forecaster(nn.Module):
    def __init__(self, enc_in, c_out):
        super().__init__()
        self.embed = nn.Conv1d(enc_in, 16, 3, padding=1, padding_mode="circular")
        self.head = nn.Linear(16, c_out)

    def forward(self, x):
        """x has the axes batch, time, columns."""
        return self.head(self.embed(x.transpose(1, 2)).transpose(1, 2))


if __name__ == "__main__":
    torch.manual_seed(0)
    windows = torch.randn(4, 24, len(columns))
    model = Forecaster(enc_in=7, c_out=7)  # BUG: the example has 7 columns
    shape = list(model(windows).shape)

    healthy = shape == [4, 24, 3]
    print("OBSERVED", json.dumps({"healthy": healthy, "shape": shape}))
    sys.exit(0 if healthy else 1)
