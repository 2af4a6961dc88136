"""D38: rank 0 saves the state of an FSDP2 model, and another program cannot load it.

state_dict() returns DTensors. Each rank has its part of every tensor, so the file has half of the
numbers, and a plain model cannot copy from it.

Symptom: RuntimeError: ... got mixed torch.Tensor and DTensor
Needs:   torch; cpu, linux; about 6 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn

try:
    from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict
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
    state = model.state_dict()  # BUG: DTensors, and each rank has its part
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
