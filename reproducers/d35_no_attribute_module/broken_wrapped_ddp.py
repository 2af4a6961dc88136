"""D35: the opposite under DDP: a method of the model is called on the wrapper.

The wrapper passes on the forward pass, but no attribute or method of the model.

Symptom: AttributeError: 'DistributedDataParallel' object has no attribute 'freeze_encoder'
Needs:   torch; cpu, linux; about 3 s
Run:     python broken_wrapped_ddp.py
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


def train(rank, folder, counts):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=1)
    model = nn.parallel.DistributedDataParallel(Net())
    model.freeze_encoder()  # BUG: the wrapper has no such method
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
