"""M3: rank 0 loads the checkpoint and sends the weights to the other ranks.

The other ranks have a model of random weights, which broadcast() overwrites. DDP does the same in
its constructor: it sends all parameters and buffers of rank 0.

Symptom: none: 3 ranks hold 4 copies instead of 6
Needs:   torch; cpu, linux; about 5 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys
import tempfile

import torch
import torch.distributed as dist
from torch import nn

num_ranks, model_mb = 3, 64


def new_model():
    return nn.Linear(4096, 4096, bias=False)


def private_mb():
    """Memory of this process that no file backs."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("RssAnon")) / 1024


def start(rank, folder, build_model, mb, weight):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=num_ranks)
    before = private_mb()
    model = build_model()
    if rank == 0:  # FIX: one rank reads the file
        state = torch.load(folder + "/last.pt", map_location="cpu")
        model.load_state_dict(state)
    for tensor in model.state_dict().values():  # FIX: not needed with DDP
        dist.broadcast(tensor, 0)
    weight[rank] = sum(float(w.detach().sum()) for w in model.parameters())
    mb[rank] = private_mb() - before
    dist.barrier()


if __name__ == "__main__":
    torch.set_num_threads(1)
    mb, weight = torch.zeros(num_ranks).share_memory_(), torch.zeros(num_ranks).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        torch.save({name: torch.full_like(w, 2) for name, w in new_model().state_dict().items()},
                   folder + "/last.pt")
        torch.multiprocessing.start_processes(start, args=(folder, new_model, mb, weight),
                                              nprocs=num_ranks, start_method="fork")

    copies = [round(float(size) / model_mb, 1) for size in mb]
    loaded = [float(total) == 2.0 * model_mb * 2 ** 18 for total in weight]
    healthy = sum(copies) < 5 and all(loaded)
    print("OBSERVED", json.dumps({"healthy": healthy, "copies_by_rank": copies,
                                  "loaded_by_rank": loaded}))
    sys.exit(0 if healthy else 1)
