"""S15: the forecaster is built for the columns of its table.

enc_in and c_out are counted from the data, so they fit the next table too.

Symptom: none: forecasts of 3 columns
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
    width = windows.shape[2]  # FIX: the columns of this table
    model = Forecaster(enc_in=width, c_out=width)  # FIX
    shape = list(model(windows).shape)

    healthy = shape == [4, 24, 3]
    print("OBSERVED", json.dumps({"healthy": healthy, "shape": shape}))
    sys.exit(0 if healthy else 1)
