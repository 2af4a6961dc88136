"""U24: the loop is fast once the metric is computed for the whole batch.

The accuracy is computed for the whole batch in two operations, instead of several operations for
each sample.

Symptom: none: the accuracy costs a small part of the loop's CPU time
Needs:   torch; cpu; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys
import time

import torch
from torch import nn

torch.set_num_threads(1)
num_batches, batch_size = 20, 512


def count_correct(outputs, labels):
    return (outputs.argmax(dim=1) == labels).sum().item()  # FIX: two operations for the batch


if __name__ == "__main__":
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    batch = torch.randn(batch_size, 64), torch.randint(10, (batch_size,))
    steps, metrics = [], []
    for inputs, labels in [batch] * num_batches:  # no loader: nothing to wait for
        start = time.process_time()
        outputs = model(inputs)
        loss = nn.functional.cross_entropy(outputs, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        stepped = time.process_time()
        correct = count_correct(outputs, labels)
        steps.append(stepped - start)
        metrics.append(time.process_time() - stepped)

    share = min(metrics) / (min(metrics) + min(steps))
    healthy = share < 0.4
    print("OBSERVED", json.dumps({"healthy": healthy, "share_of_time_for_the_metric":
                                  round(share, 2)}))
    sys.exit(0 if healthy else 1)
