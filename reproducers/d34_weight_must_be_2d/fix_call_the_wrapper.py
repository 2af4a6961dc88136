"""D34: a function that calls the FSDP wrapper itself finds whole weights.

Each call of the wrapper gathers the weights before forward(). So nothing else is needed if every
use of the weights is inside such a call.

Symptom: none: both ranks generate 0, 1, 2, 3, 4, 5
Needs:   torch; cpu, linux; about 5 s
Run:     python fix_call_the_wrapper.py
"""
import json
import sys
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
import torch.nn.functional as F

major, minor = torch.__version__.split(".")[:2]
if (int(major), int(minor)) < (2, 4):
    print("SKIPPED FSDP on the CPU was tried from torch 2.4 on")
    sys.exit(77)

from torch.distributed.fsdp import FullyShardedDataParallel as FSDP

cpu = torch.device("cpu")


class Model(torch.nn.Module):
    """Predicts the next token."""

    def __init__(self):
        super().__init__()
        self.embed = torch.nn.Embedding(10, 16)
        self.body = FSDP(torch.nn.Linear(16, 16), device_id=cpu, use_orig_params=True)
        self.head = torch.nn.Linear(16, 10, bias=False)

    def forward(self, tokens):
        return self.head(self.body(self.embed(tokens)))


@torch.no_grad()
def generate(model, tokens):
    for _ in range(5):
        tokens = torch.cat([tokens, model(tokens[-1:]).argmax(-1)])
    return tokens


def train(rank, folder, tokens_by_rank):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    torch.manual_seed(0)
    model = FSDP(Model(), device_id=cpu, use_orig_params=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    tokens = torch.arange(10)
    for _ in range(20):  # it learns to count
        optimizer.zero_grad()
        F.cross_entropy(model(tokens), (tokens + 1) % 10).backward()
        optimizer.step()
    generated = generate(model, tokens[:1])  # FIX: model is the wrapper
    tokens_by_rank[rank] = generated


if __name__ == "__main__":
    tokens_by_rank = torch.zeros(2, 6, dtype=torch.int64).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder, tokens_by_rank), nprocs=2,
                                              start_method="fork")

    tokens_by_rank = tokens_by_rank.tolist()
    healthy = tokens_by_rank == [[0, 1, 2, 3, 4, 5]] * 2
    print("OBSERVED", json.dumps({"healthy": healthy, "tokens_by_rank": tokens_by_rank}))
    sys.exit(0 if healthy else 1)
