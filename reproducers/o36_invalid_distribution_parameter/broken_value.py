"""O36: Bernoulli refuses grey pixels, because it allows only the values 0 and 1.

A variational autoencoder that uses Bernoulli.log_prob as its reconstruction loss worked with grey
pixels before torch 1.8, where the check of values became the default.

Symptom: ValueError: Expected value argument (...) to be within the support (Boolean()) ...
Needs:   torch; cpu; about 3 s
Run:     python broken_value.py; python fix_value.py; diff broken_value.py fix_value.py
"""
import json
import sys

import torch
from torch import nn
from torch.distributions import Bernoulli

torch.manual_seed(0)
decoder = nn.Linear(4, 16)
pixels = torch.rand(8, 16)

if __name__ == "__main__":
    logits = decoder(torch.rand(8, 4))
    loss = -Bernoulli(logits=logits).log_prob(pixels).mean()  # BUG: 0.37 is neither 0 nor 1
    loss.backward()

    finite = bool(torch.isfinite(decoder.weight.grad).all())
    healthy = finite and 0.5 < loss.item() < 1.0
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": round(loss.item(), 3)}))
    sys.exit(0 if healthy else 1)
