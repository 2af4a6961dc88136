"""D38: rank 0 saves the module inside FSDP1, and a plain model refuses the flat parts.

model.module skips the code of FSDP that gathers. Its tensors are this rank's part of one long row:
each has a single dimension, and those that lie on another rank have size 0.

Symptom: RuntimeError: size mismatch for 0.weight: ... torch.Size([106]) from checkpoint
Needs:   torch; cpu, linux; about 6 s
Run:     python broken_flat_shard.py; python fix_flat_shard.py
"""
import json
import sys
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn

if [int(part) for part in torch.__version__.split(".")[:2]] < [2, 6]:
    print("SKIPPED torch 2.6 or newer is needed, as for the other scripts")
    sys.exit(77)
from torch.distributed.fsdp import FullyShardedDataParallel


def make_model():
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))


def train(rank, folder):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    torch.manual_seed(0)
    model = FullyShardedDataParallel(make_model(), device_id=torch.device("cpu"),
                                     use_orig_params=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(3):
        optimizer.zero_grad()
        model(torch.randn(4, 8)).pow(2).mean().backward()
        optimizer.step()
    state = model.module.state_dict()  # BUG: flat parts: the gather is in the state_dict() of FSDP
    if rank == 0:
        torch.save(state, folder + "/model.pt")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder,), nprocs=2, start_method="fork")
        state = torch.load(folder + "/model.pt", weights_only=False)
    model = make_model()
    model.load_state_dict(state)

    loaded = sum(p.numel() for p in state.values())
    healthy = loaded == sum(p.numel() for p in model.parameters()) > 0
    print("OBSERVED", json.dumps({"healthy": healthy, "numbers_loaded": loaded}))
    sys.exit(0 if healthy else 1)
