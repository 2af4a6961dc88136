"""M3: one rank after the other loads the checkpoint, and drops it before the next begins.

Each rank still reads the whole file, but two copies exist on one rank at a time. The peak is the
largest sum at any time, so each rank adds up all ranks while its own state dict exists.

Symptom: none: at most 4 copies exist at the same time
Needs:   torch; cpu, linux; about 5 s
Run:     python fix_in_turn.py
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


def start(rank, folder, build_model, mb, peak, weight):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=num_ranks)
    before = private_mb()
    model = build_model()
    mb[rank] = private_mb() - before
    for turn in range(num_ranks):
        dist.barrier()  # FIX: until the rank before has finished
        if turn == rank:
            state = torch.load(folder + "/last.pt", map_location="cpu")
            model.load_state_dict(state)
            mb[rank] = private_mb() - before
            peak[rank] = mb.sum()
            del state  # FIX: before the next rank starts
            mb[rank] = private_mb() - before
    weight[rank] = sum(float(w.detach().sum()) for w in model.parameters())
    dist.barrier()


if __name__ == "__main__":
    torch.set_num_threads(1)
    mb, peak, weight = [torch.zeros(num_ranks).share_memory_() for _ in range(3)]
    with tempfile.TemporaryDirectory() as folder:
        torch.save({name: torch.full_like(w, 2) for name, w in new_model().state_dict().items()},
                   folder + "/last.pt")
        torch.multiprocessing.start_processes(start, args=(folder, new_model, mb, peak, weight),
                                              nprocs=num_ranks, start_method="fork")

    most_copies = round(float(peak.max()) / model_mb, 1)
    loaded = [float(total) == 2.0 * model_mb * 2 ** 18 for total in weight]
    healthy = 2 < most_copies < 5 and all(loaded)
    print("OBSERVED", json.dumps({"healthy": healthy, "most_copies": most_copies,
                                  "loaded_by_rank": loaded}))
    sys.exit(0 if healthy else 1)
