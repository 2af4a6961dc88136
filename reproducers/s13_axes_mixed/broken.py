"""S13: view() in place of transpose() brings the channels to the front, and mixes them with time.

The shape is right, so the convolution runs. view() keeps the order in memory: each row of the
result holds some steps of all channels, and the accuracy stays near that of guessing.

Symptom: no error: an accuracy of 0.31 with 4 classes
Needs:   torch; cpu; about 4 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
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
        self.conv = nn.Conv1d(4, 32, 5, padding=2)
        self.head = nn.Linear(32, 4)

    def forward(self, x):
        batch, time, channels = x.shape
        x = x.view(batch, channels, time)  # BUG: the right shape, and the values of other axes
        return self.head(self.conv(x).relu().mean(2))


def make_samples(count):
    labels = torch.randint(4, (count,))
    signals = torch.randn(count, 40, 4)
    signals[torch.arange(count), :, labels] *= 3  # the channel of the class is louder
    return signals, labels


if __name__ == "__main__":
    torch.manual_seed(0)
    model = Net()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for step in range(200):
        signals, labels = make_samples(64)
        optimizer.zero_grad()
        cross_entropy(model(signals), labels).backward()
        optimizer.step()

    signals, labels = make_samples(1000)
    accuracy = (model(signals).argmax(1) == labels).float().mean().item()
    healthy = accuracy > 0.8
    print("OBSERVED", json.dumps({"healthy": healthy, "accuracy": round(accuracy, 2)}))
    sys.exit(0 if healthy else 1)
