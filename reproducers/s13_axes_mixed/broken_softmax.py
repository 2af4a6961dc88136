"""S13: the weights of an attention are normalised over the batch, not over the tokens.

softmax(0) shares the weight of each position among the samples of the batch. Training works, and
each prediction depends on the other samples. Alone, all weights of a sample are 1.

Symptom: no error: a good accuracy in batches of 64, and a bad one for single samples
Needs:   torch; cpu; about 4 s
Run:     python broken_softmax.py; python fix_softmax.py
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
        self.score = nn.Linear(8, 1)
        self.head = nn.Linear(8, 4)

    def forward(self, x):  # (batch, tokens, width)
        weights = self.score(x).softmax(0)  # BUG: over the samples of the batch
        return self.head((weights * x).sum(1))


def make_samples(count):
    labels, rows = torch.randint(4, (count,)), torch.arange(count)
    x = torch.randn(count, 10, 8)
    x[:, :, 0] = -3
    place = torch.randint(10, (count,))
    x[rows, place, 0] = 3  # this token tells the class
    x[rows, place, labels + 1] += 4
    return x, labels


if __name__ == "__main__":
    torch.manual_seed(0)
    model = Net()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for step in range(300):
        x, labels = make_samples(64)
        optimizer.zero_grad()
        cross_entropy(model(x), labels).backward()
        optimizer.step()

    x, labels = make_samples(640)
    accuracies, batch_sizes = [], [64, 1]
    for size in batch_sizes:
        outputs = torch.cat([model(part) for part in x.split(size)])
        accuracies.append(round((outputs.argmax(1) == labels).float().mean().item(), 2))
    healthy = min(accuracies) > 0.8
    print("OBSERVED", json.dumps({"healthy": healthy, "batch_sizes": batch_sizes,
                                  "accuracy_by_batch_size": accuracies}))
    sys.exit(0 if healthy else 1)
