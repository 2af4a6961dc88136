"""D38: full_tensor() gathers each tensor, on all ranks.

Like get_model_state_dict() it is a collective, one for each tensor.

Symptom: none: the file has all numbers of the model
Needs:   torch; cpu, linux; about 6 s
Run:     python fix_whole_tensors.py
"""
import json
import sys
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn

try:
    from torch.distributed.fsdp import fully_shard
except ImportError:
    print("SKIPPED torch 2.6 or newer is needed for fully_shard")
    sys.exit(77)


def make_model():
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))


def train(rank, folder):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    torch.manual_seed(0)
    model = make_model()
    fully_shard(model, mesh=dist.device_mesh.init_device_mesh("cpu", (2,)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(3):
        optimizer.zero_grad()
        model(torch.randn(4, 8)).pow(2).mean().backward()
        optimizer.step()
    state = {name: p.full_tensor() for name, p in model.state_dict().items()}  # FIX
    if rank == 0:
        torch.save(state, folder + "/model.pt")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder,), nprocs=2, start_method="fork")
        state = torch.load(folder + "/model.pt", weights_only=False)
    saved = sum(p.numel() for p in state.values())
    expected = sum(p.numel() for p in make_model().parameters())
    healthy = saved == expected > 0
    print("OBSERVED", json.dumps({"healthy": healthy, "numbers_saved": saved,
                                  "numbers_of_the_model": expected}))
    sys.exit(0 if healthy else 1)
