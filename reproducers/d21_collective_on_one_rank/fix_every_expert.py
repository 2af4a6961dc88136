"""D21: call every expert on every rank, also for no tokens.

Without the `if`, rank 0 calls expert 1 for an empty batch. Its output is empty, its gradients are
zero, and all ranks make the same collectives.

Symptom: a hang in the first steps of a mixture of experts with FSDP or ZeRO-3; one GPU works
Needs:   torch; cpu, linux; about 14 s
Run:     python broken_experts.py; python fix_every_expert.py
"""
import json
import sys
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist

major, minor = torch.__version__.split(".")[:2]
if (int(major), int(minor)) < (2, 4):
    print("SKIPPED FSDP on the CPU was tried from torch 2.4 on")
    sys.exit(77)

from torch.distributed.fsdp import FullyShardedDataParallel as FSDP

num_steps = 3


class Mixture(torch.nn.Module):
    """Sends each token to the expert that the router prefers."""

    def __init__(self, shard):
        super().__init__()
        self.experts = torch.nn.ModuleList(shard(torch.nn.Linear(8, 8)) for _ in range(2))

    def forward(self, tokens, choice):
        out = torch.zeros_like(tokens)
        for i, expert in enumerate(self.experts):
            chosen = choice == i
            out[chosen] = expert(tokens[chosen])  # FIX: every rank calls it, also for no tokens
        return out


def train(rank, folder, seen):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    patience = dist.new_group(timeout=timedelta(seconds=8))  # the default is 30 minutes
    torch.manual_seed(0)
    model = Mixture(lambda expert: FSDP(expert, process_group=patience, use_orig_params=True,
                                        device_id=torch.device("cpu")))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    tokens = torch.randn(4, 8)
    choice = torch.tensor([[0, 0, 0, 0], [0, 1, 0, 1]])[rank]  # what the router decided
    for _ in range(num_steps):
        optimizer.zero_grad()
        model(tokens, choice).square().mean().backward()
        optimizer.step()
        seen[rank] += 1


if __name__ == "__main__":
    seen = torch.zeros(2).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder, seen), nprocs=2,
                                              start_method="fork")

    seen = seen.tolist()
    healthy = seen == [num_steps] * 2
    print("OBSERVED", json.dumps({"healthy": healthy, "steps_by_rank": seen}))
    sys.exit(0 if healthy else 1)
