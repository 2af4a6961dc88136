"""M3: every rank loads the whole checkpoint, so host memory holds two copies of the model per rank.

torch.load() reads the whole file into the memory of the process, beside the weights of the new
model. All ranks of a machine do this at the same time, before the first step.

Symptom: 3 ranks hold 6 copies of the model in host memory
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
    state = torch.load(folder + "/last.pt", map_location="cpu")  # BUG: each rank reads all
    model.load_state_dict(state)
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
