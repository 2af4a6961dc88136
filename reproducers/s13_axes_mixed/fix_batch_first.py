"""S13: a GRU with batch_first=True reads the steps of each sample.

The input is (batch, time, features), as the layer expects.

Symptom: none: a high accuracy, and a change of one sample moves only its own output
Needs:   torch; cpu; about 4 s
Run:     python fix_batch_first.py
"""
import json
import sys

import torch
from torch import nn
from torch.nn.functional import cross_entropy

torch.set_num_threads(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(8, 32, batch_first=True)  # FIX: reads (batch, time, features)
        self.head = nn.Linear(32, 3)

    def forward(self, x):  # (batch, time, features)
        outputs, _ = self.rnn(x)
        return self.head(outputs[:, -1])


def make_samples(count):
    labels = torch.randint(3, (count,))
    x = torch.randn(count, 6, 8)
    x[torch.arange(count), 0, labels] += 4  # the first step tells the class
    return x, labels


if __name__ == "__main__":
    torch.manual_seed(0)
    model = Net()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for step in range(150):
        x, labels = make_samples(32)
        optimizer.zero_grad()
        cross_entropy(model(x), labels).backward()
        optimizer.step()

    x, labels = make_samples(500)
    accuracy = (model(x).argmax(1) == labels).float().mean().item()
    model.eval()
    changed = x.clone()
    changed[0] += 1  # only one sample
    moved = ((model(changed) - model(x)).abs().amax(1) > 1e-6).sum().item()
    healthy = moved == 1 and accuracy > 0.8
    print("OBSERVED", json.dumps({"healthy": healthy, "accuracy": round(accuracy, 2),
                                  "samples_that_move": moved}))
    sys.exit(0 if healthy else 1)
