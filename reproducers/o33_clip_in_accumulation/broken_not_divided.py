"""O33: the loss is not divided by the number of micro-batches.

The sum of four means is four times the mean. With plain SGD that is a four times larger learning
rate, and clipping starts at a quarter of the gradient.

Symptom: no error; the weights differ from those of training on full batches
Needs:   torch; cpu; about 2 s
Run:     python broken_not_divided.py
"""
import json
import sys

import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_

accumulation, max_norm = 4, 1.0
criterion = nn.MSELoss()


def train(model, micro_batches):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    optimizer.zero_grad()
    for i, (x, y) in enumerate(micro_batches):
        loss = criterion(model(x), y)  # BUG: not divided by accumulation
        loss.backward()
        if (i + 1) % accumulation == 0:
            clip_grad_norm_(model.parameters(), max_norm)
            optimizer.step()
            optimizer.zero_grad()


def train_on_full_batches(model, batches):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in batches:
        optimizer.zero_grad()
        criterion(model(x), y).backward()
        clip_grad_norm_(model.parameters(), max_norm)
        optimizer.step()


def weights_after(train_function, batches):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
    start = torch.nn.utils.parameters_to_vector(model.parameters()).detach().clone()
    train_function(model, batches)
    return torch.nn.utils.parameters_to_vector(model.parameters()).detach() - start


if __name__ == "__main__":
    torch.manual_seed(1)
    full = [(torch.randn(64, 8), 0.3 * torch.randn(64, 1)) for _ in range(5)]
    micro = [(x[k:k + 16], y[k:k + 16]) for x, y in full for k in range(0, len(x), 16)]
    expected = weights_after(train_on_full_batches, full)
    got = weights_after(train, micro)

    relative_error = ((got - expected).norm() / expected.norm()).item()
    healthy = relative_error < 0.001 and len(micro) == accumulation * len(full)
    print("OBSERVED", json.dumps({"healthy": healthy, "micro_batches": len(micro),
                                  "relative_error": round(relative_error, 4)}))
    sys.exit(0 if healthy else 1)
