"""D35: the same function for a model that is wrapped, and for one that is not.

The script runs once without a wrapper and once with DataParallel. The files have the same keys.

Symptom: none: both files have the 4 keys of the model
Needs:   torch; cpu; about 3 s
Run:     python fix_wrapped.py
"""
import io
import json
import sys

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(4, 8)
        self.head = nn.Linear(8, 1)

    def forward(self, x):
        return self.head(torch.relu(self.encoder(x)))


def unwrap(model):
    """The model itself, whether or not it is wrapped."""
    wrappers = (nn.DataParallel, nn.parallel.DistributedDataParallel)
    return model.module if isinstance(model, wrappers) else model


def saved_keys(model):
    """The keys of the file that the training writes."""
    model(torch.ones(2, 4)).sum().backward()
    file = io.BytesIO()
    torch.save(unwrap(model).state_dict(), file)  # FIX: wrapped or not
    file.seek(0)
    return list(torch.load(file))


if __name__ == "__main__":
    net = Net()
    single = saved_keys(net)
    wrapped = saved_keys(nn.DataParallel(net))

    healthy = single == wrapped == list(dict(net.named_parameters()))
    print("OBSERVED", json.dumps({"healthy": healthy, "keys": len(single),
                                  "keys_when_wrapped": len(wrapped)}))
    sys.exit(0 if healthy else 1)
