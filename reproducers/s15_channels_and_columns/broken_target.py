"""S15: the code forecasts the last column, and the target is the first one.

Many forecasting repositories compare with table[:, -1:]. Their own reader moves the target to the
end. A new reader that does not leaves another column there.

Symptom: no error: the training loss is near 0, and the forecasts are those of the wind
Needs:   torch; cpu; about 3 s
Run:     python broken_target.py
"""
import json
import sys

import torch
from torch import nn

columns, target = ["load", "temperature", "wind"], "load"
history = 12
torch.set_num_threads(1)


def make_windows(table):
    """What each window contains, and the next value of the target, as a column."""
    # BUG: the last column is the wind, and the target is the load
    return table.unfold(0, history, 1)[:-1].flatten(1), table[history:, -1:]


if __name__ == "__main__":
    torch.manual_seed(0)
    time = torch.arange(500.0)
    load, temperature, wind = (time / 5).sin(), (time / 11).cos(), (time / 8).sin()
    inputs, targets = make_windows(torch.stack([load, temperature, wind], 1))
    model = nn.Linear(history * len(columns), 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for step in range(500):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(inputs), targets)
        loss.backward()
        optimizer.step()

    forecasts = model(inputs).detach()[:, 0]
    error = (forecasts - load[history:]).abs().mean().item()
    healthy = error < 0.1
    print("OBSERVED", json.dumps({"healthy": healthy, "loss": round(loss.item(), 4),
                                  "error_of_load": round(error, 3)}))
    sys.exit(0 if healthy else 1)
