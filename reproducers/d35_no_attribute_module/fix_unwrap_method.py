"""D35: methods are called through the same function, the forward pass is not.

The wrapper does not pass on the methods of the model, so the model is unwrapped for them. The
forward pass still goes through the wrapper.

Symptom: none: the encoder is frozen, and the head gets gradients
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
        self.head = nn.Linear(8, 1)

    def forward(self, x):
        return self.head(torch.relu(self.encoder(x)))

    def freeze_encoder(self):
        self.encoder.requires_grad_(False)


def unwrap(model):
    """The model itself, whether or not it is wrapped."""
    wrappers = (nn.DataParallel, nn.parallel.DistributedDataParallel)
    return model.module if isinstance(model, wrappers) else model


def train(rank, folder, counts):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=1)
    model = nn.parallel.DistributedDataParallel(Net())
    unwrap(model).freeze_encoder()  # FIX: wrapped or not
    model(torch.ones(2, 4)).sum().backward()
    counts[0] = sum(p.grad is None for p in model.parameters())
    counts[1] = sum(p.grad is not None for p in model.parameters())


if __name__ == "__main__":
    counts = torch.zeros(2, dtype=torch.int64).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder, counts), nprocs=1,
                                              start_method="fork")

    frozen, learns = counts.tolist()
    healthy = frozen == learns == 2
    print("OBSERVED", json.dumps({"healthy": healthy, "frozen": frozen, "trained": learns}))
    sys.exit(0 if healthy else 1)
