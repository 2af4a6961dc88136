"""Q8: a small set is repeated until the model has memorised it.

From the second epoch on the model has seen each sample. The training loss steps down with each
epoch, and the loss of new samples rises.

Symptom: no error: a step down at each epoch
Needs:   torch; cpu; about 3 s
Run:     python broken_memorised.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
epochs = 15  # BUG: repeats what is memorised


if __name__ == "__main__":
    x, y = torch.randn(64, 20), torch.randint(2, (64,))  # labels without a rule
    new_x, new_y = torch.randn(500, 20), torch.randint(2, (500,))
    model = nn.Sequential(nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.005)
    for epoch in range(epochs):
        order = torch.randperm(64)
        sum_of_epoch = 0.0
        for part in order.split(8):
            loss = nn.functional.cross_entropy(model(x[part]), y[part])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            sum_of_epoch += loss.item()
        print("epoch", epoch, "training loss", round(sum_of_epoch / 8, 2))
    new_loss = nn.functional.cross_entropy(model(new_x), new_y).item()

    healthy = new_loss < 1.0

    print("OBSERVED", json.dumps({"healthy": healthy, "new_loss": round(new_loss, 2)}))
    sys.exit(0 if healthy else 1)
