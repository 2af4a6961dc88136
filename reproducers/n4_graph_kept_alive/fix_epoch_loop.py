"""N4: a training and a validation loop that keep no graph.

The training loop adds up loss.detach(), which has no graph. The validation loop runs under
no_grad() and keeps numbers.

Symptom: none: both loops keep next to nothing, and the sum of the losses has no graph
Needs:   torch; cpu, linux; about 3 s
Run:     python fix_epoch_loop.py
"""
import ctypes
import gc
import json
import sys

import torch
from torch import nn

if not sys.platform.startswith("linux"):
    print("SKIPPED this is not Linux")
    sys.exit(77)

steps, batch_size, width = 10, 2048, 128  # the output of each layer takes 1 MiB


def memory_mib():
    """Private memory of this process, without files and shared libraries."""
    gc.collect()
    with open("/proc/self/status") as status:
        fields = dict(line.split(":", 1) for line in status)
    return int(fields["RssAnon"].split()[0]) / 1024


def train_epoch(model, loader, criterion, optimizer):
    total = 0.0
    for x, y in loader:
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.detach()  # FIX: no graph; on a GPU it does not wait, as item() does
    return float(total) / len(loader)


@torch.no_grad()  # FIX: model.eval() alone still builds the graph
def validate(model, loader, criterion):
    model.eval()
    return [criterion(model(x), y).item() for x, y in loader]


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    ctypes.CDLL(None).mallopt(-3, 2**16)  # return freed blocks at once
    model = nn.Sequential(*[nn.Sequential(nn.Linear(width, width), nn.ReLU()) for _ in range(4)])
    criterion, optimizer = nn.MSELoss(), torch.optim.SGD(model.parameters(), lr=0.01)
    loader = [(torch.randn(batch_size, width), torch.zeros(batch_size, width))] * steps
    train_epoch(model, loader, criterion, optimizer)  # warm up the allocator
    before = memory_mib()
    mean = train_epoch(model, loader, criterion, optimizer)
    losses = validate(model, loader, criterion)

    mib_per_step = (memory_mib() - before) / (2 * steps)
    healthy = mib_per_step < 0.5 and len(losses) == steps and mean > 0
    print("OBSERVED", json.dumps({"healthy": healthy, "mean_loss": round(mean, 3),
                                  "mib_kept_per_step": round(max(mib_per_step, 0), 1)}))
    sys.exit(0 if healthy else 1)
