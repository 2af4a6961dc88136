"""P4: model.double() silences the error and doubles the memory.

All weights, gradients and moments of the optimizer become float64. The data still have the
precision that they had.

Symptom: 133120 bytes of weights, gradients and moments instead of 66560
Needs:   torch; cpu; about 2 s
Run:     python trap_model_double.py
"""
import json
import sys

import torch
from torch import nn


def train(model, dtype):
    """The bytes of weights, gradients and moments after one step."""
    optimizer = torch.optim.Adam(model.parameters())
    model(torch.ones(4, 64, dtype=dtype)).sum().backward()
    optimizer.step()
    tensors = [t for p in model.parameters() for t in
               (p, p.grad, optimizer.state[p]["exp_avg"], optimizer.state[p]["exp_avg_sq"])]
    return sum(t.numel() * t.element_size() for t in tensors)


if __name__ == "__main__":
    single = train(nn.Linear(64, 64), torch.float32)
    double = train(nn.Linear(64, 64).double(), torch.float64)  # BUG: convert the data instead

    healthy = double < 1.5 * single
    print("OBSERVED", json.dumps({"healthy": healthy, "bytes_float32": single,
                                  "bytes_float64": double}))
    sys.exit(0 if healthy else 1)
