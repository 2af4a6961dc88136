"""D35: methods are called through the same function, the forward pass is not.

The wrapper does not pass on the methods of the model, so the model is unwrapped for them. The
forward pass still goes through the wrapper.

Symptom: none: dropout is off, and three steps run
Needs:   torch; cpu, linux; about 3 s
Run:     python fix_unwrap_method.py
"""
import json
import sys
import tempfile

import torch
import torch.distributed as dist
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(4, 8)
        self.dropout = nn.Dropout(0.5)
        self.head = nn.Linear(8, 1)

    def forward(self, x):
        return self.head(self.dropout(torch.relu(self.encoder(x))))

    def set_dropout(self, p):
        self.dropout.p = p


def unwrap(model):
    """The model itself, whether or not it is wrapped."""
    wrappers = (nn.DataParallel, nn.parallel.DistributedDataParallel)
    return model.module if isinstance(model, wrappers) else model


def train(rank, folder, counts):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=1)
    model = nn.parallel.DistributedDataParallel(Net())
    unwrap(model).set_dropout(0.0)  # FIX: wrapped or not
    for _ in range(3):
        output = model(torch.ones(64, 4))
        output.sum().backward()
        counts[0] += 1
        counts[1] += int(torch.allclose(output, output[:1].expand(64, 1)))


if __name__ == "__main__":
    counts = torch.zeros(2, dtype=torch.int64).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder, counts), nprocs=1,
                                              start_method="fork")

    steps, without_dropout = counts.tolist()
    healthy = steps == without_dropout == 3
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": steps,
                                  "without_dropout": without_dropout}))
    sys.exit(0 if healthy else 1)
