"""C37: weights_in() lists each dict of weights, and the averaged one is loaded.

Each path that it prints leads to a dict of tensors; equal sizes mean that they are the same model.

Symptom: none: the model is as good as its tool reported
Needs:   torch; cpu; about 3 s
Run:     python fix_weights_in.py; python trap_first_weights.py
"""
import json
import sys

import torch
from torch import nn


torch.manual_seed(0)
truth = torch.randn(8, 1)
x = torch.randn(256, 8)


def train_elsewhere():
    """What a different tool saved: the weights, and their running average in a callback."""
    net = nn.Sequential(nn.Linear(8, 1))
    ema = {name: value.clone() for name, value in net.state_dict().items()}
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for step in range(300):
        batch = x[torch.randint(len(x), (4,))]
        target = batch @ truth + torch.randn(4, 1)
        loss = nn.functional.mse_loss(net(batch), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        for name, value in net.state_dict().items():
            ema[name].lerp_(value, 0.02)
    weights = {"model." + name: value for name, value in net.state_dict().items()}
    return {"epoch": 9, "state_dict": weights, "callbacks": {"EMA": {"shadow": ema}}}


def weights_in(value, path=()):
    """Each dict of tensors in a checkpoint: where it is, and how many numbers it has."""
    if not isinstance(value, dict):
        return []
    tensors = [item for item in value.values() if torch.is_tensor(item)]
    own = [(path, sum(item.numel() for item in tensors))] if tensors else []
    return own + [found for key in value for found in weights_in(value[key], (*path, key))]


if __name__ == "__main__":
    checkpoint = train_elsewhere()
    places = weights_in(checkpoint)
    print(places)
    state = checkpoint["callbacks"]["EMA"]["shadow"]  # FIX: the one that is evaluated
    model = nn.Sequential(nn.Linear(8, 1))
    model.load_state_dict(state)
    with torch.no_grad():
        error = nn.functional.mse_loss(model(x), x @ truth).item()

    healthy = error < 0.1
    print("OBSERVED", json.dumps({"healthy": healthy, "error": round(error, 2),
                                  "places": len(places)}))
    sys.exit(0 if healthy else 1)
