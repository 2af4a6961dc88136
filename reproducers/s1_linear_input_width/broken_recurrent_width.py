"""S1: an LSTM was built for 8 features, and 10 come in.

A column was added to the data, or the embedding in front of the LSTM has a different width.

Symptom: RuntimeError: input.size(-1) must be equal to input_size. Expected 8, got 10
Needs:   torch; cpu; about 2 s
Run:     python broken_recurrent_width.py; python fix_width_of_data.py
"""
import json
import sys

import torch
from torch import nn

if __name__ == "__main__":
    torch.manual_seed(0)
    readings = torch.randn(4, 24, 10)  # series, hours, columns
    lstm = nn.LSTM(input_size=8, hidden_size=16, batch_first=True)  # BUG: 10 columns
    outputs, _ = lstm(readings)

    healthy = list(outputs.shape) == [4, 24, 16]
    print("OBSERVED", json.dumps({"healthy": healthy, "outputs": list(outputs.shape)}))
    sys.exit(0 if healthy else 1)
