"""M3: mmap=True without assign=True copies the mapped weights into each rank's model.

load_state_dict() copies every tensor into the weights that the model already has. Each rank
still has a whole private copy.

Symptom: 3 ranks hold 3 private copies of the model
Needs:   torch; cpu, linux; about 5 s
Run:     python trap_mmap_alone.py
"""
import inspect
import json
import sys
import tempfile

import torch
import torch.distributed as dist
from torch import nn

if "mmap" not in inspect.signature(torch.load).parameters:
    print("SKIPPED torch.load() has no mmap before torch 2.1")
    sys.exit(77)
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
    state = torch.load(folder + "/last.pt", map_location="cpu", mmap=True)
    model.load_state_dict(state)  # BUG: copies the pages into the model
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
    healthy = sum(copies) < 1 and all(loaded)
    print("OBSERVED", json.dumps({"healthy": healthy, "copies_by_rank": copies,
                                  "loaded_by_rank": loaded}))
    sys.exit(0 if healthy else 1)
