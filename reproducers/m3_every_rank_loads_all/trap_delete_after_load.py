"""M3: del state and gc.collect() after loading come too late.

The kernel kills a process at its peak. The peak is inside load_state_dict(), when both copies
exist; a deletion afterwards does not change it.

Symptom: 3 ranks held 6 copies at their peak, as without the deletion
Needs:   torch; cpu, linux; about 5 s
Run:     python trap_delete_after_load.py
"""
import gc
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


def start(rank, folder, build_model, at_peak, mb, weight):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=num_ranks)
    before = private_mb()
    model = build_model()
    state = torch.load(folder + "/last.pt", map_location="cpu")
    model.load_state_dict(state)
    at_peak[rank] = private_mb() - before
    del state  # BUG: after the peak
    gc.collect()
    weight[rank] = sum(float(w.detach().sum()) for w in model.parameters())
    mb[rank] = private_mb() - before
    dist.barrier()


if __name__ == "__main__":
    torch.set_num_threads(1)
    at_peak, mb, weight = [torch.zeros(num_ranks).share_memory_() for _ in range(3)]
    with tempfile.TemporaryDirectory() as folder:
        torch.save({name: torch.full_like(w, 2) for name, w in new_model().state_dict().items()},
                   folder + "/last.pt")
        torch.multiprocessing.start_processes(start, args=(folder, new_model, at_peak, mb, weight),
                                              nprocs=num_ranks, start_method="fork")

    copies = [round(float(size) / model_mb, 1) for size in at_peak]
    copies_left = [round(float(size) / model_mb, 1) for size in mb]
    loaded = [float(total) == 2.0 * model_mb * 2 ** 18 for total in weight]
    healthy = sum(copies) < 5 and all(loaded)
    print("OBSERVED", json.dumps({"healthy": healthy, "peak_copies_by_rank": copies,
                                  "copies_left_by_rank": copies_left,
                                  "loaded_by_rank": loaded}))
    sys.exit(0 if healthy else 1)
