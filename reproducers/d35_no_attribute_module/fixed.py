"""D35: one function finds the model, whether or not it is wrapped.

DataParallel and DistributedDataParallel keep the model as their attribute `module`. The file has
the same keys with one GPU and with several.

Symptom: none: all 4 tensors are saved and loaded
Needs:   torch; cpu; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import io
import json
import sys

import torch
from torch import nn

gpus = 1  # torch.cuda.device_count() in a real script


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


def train(model):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    inputs = torch.randn(16, 4)
    losses = []
    for _ in range(5):
        loss = model(inputs).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


if __name__ == "__main__":
    torch.manual_seed(0)
    net = Net()
    model = nn.DataParallel(net) if gpus > 1 else net
    losses = train(model)
    file = io.BytesIO()
    torch.save(unwrap(model).state_dict(), file)  # FIX: wrapped or not
    file.seek(0)
    state = torch.load(file)
    prefixed = sum(key.startswith("module.") for key in state)
    plain = Net()
    plain.load_state_dict(state)

    same = [torch.equal(a, b) for a, b in zip(plain.parameters(), net.parameters())]
    healthy = same == [True] * 4 and prefixed == 0 and losses[-1] < losses[0]
    print("OBSERVED", json.dumps({"healthy": healthy, "tensors_as_trained": sum(same),
                                  "steps": len(losses)}))
    sys.exit(0 if healthy else 1)
