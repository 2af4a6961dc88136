"""O36: binary cross entropy takes grey pixels, and is the same formula.

A variational autoencoder needs the cross entropy between the pixel and the predicted probability.
Binary cross entropy computes it for any value from 0 to 1.

Symptom: none: the loss is finite and has a gradient
Needs:   torch; cpu; about 3 s
Run:     python broken_value.py; python fix_value.py; diff broken_value.py fix_value.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
decoder = nn.Linear(4, 16)
pixels = torch.rand(8, 16)

if __name__ == "__main__":
    logits = decoder(torch.rand(8, 4))
    loss = nn.functional.binary_cross_entropy_with_logits(logits, pixels)  # FIX: any value in 0..1
    loss.backward()

    finite = bool(torch.isfinite(decoder.weight.grad).all())
    healthy = finite and 0.5 < loss.item() < 1.0
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": round(loss.item(), 3)}))
    sys.exit(0 if healthy else 1)
