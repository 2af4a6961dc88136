"""C37: the first dict of weights in the file is not the one that its tool evaluates.

Many tools keep a running average (EMA) of the weights beside them, and report its score.

Symptom: no error; the loaded model is worse than its tool reported
Needs:   torch; cpu; about 3 s
Run:     python trap_first_weights.py; python fix_weights_in.py
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


if __name__ == "__main__":
    checkpoint = train_elsewhere()
    state = checkpoint["state_dict"]  # BUG: the noisy weights of the last step
    state = {name[len("model."):]: value for name, value in state.items()}
    model = nn.Sequential(nn.Linear(8, 1))
    model.load_state_dict(state)
    with torch.no_grad():
        error = nn.functional.mse_loss(model(x), x @ truth).item()

    healthy = error < 0.1
    print("OBSERVED", json.dumps({"healthy": healthy, "error": round(error, 2)}))
    sys.exit(0 if healthy else 1)
