"""D21: a collective stands inside `if rank == 0`, so the other ranks never call it.

barrier, all_reduce, reduce, gather, broadcast: each is a meeting of all ranks of its group, also
where only one of them needs the result. Rank 0 waits in it for ranks that have gone on, and they
wait in their next collective, which may be a backward() far from the faulty line.

Symptom: rank 1 passes the new barrier before the checkpoint exists: FileNotFoundError
Needs:   torch; cpu, linux; about 4 s
Run:     python trap_second_barrier.py
"""
import json
import sys
import tempfile
import time
from datetime import timedelta

import torch
import torch.distributed as dist


def train(rank, folder, seen):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    if rank == 0:
        dist.barrier()
        time.sleep(1)  # stands for a checkpoint of some size
        torch.save({"epoch": 1}, folder + "/checkpoint.pt")
    dist.barrier()  # BUG: rank 1 meets the other barrier here, the one inside the if
    seen[rank] = torch.load(folder + "/checkpoint.pt")["epoch"]


if __name__ == "__main__":
    seen = torch.zeros(2).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder, seen), nprocs=2,
                                              start_method="fork")

    seen = seen.tolist()
    healthy = seen == [1] * 2
    print("OBSERVED", json.dumps({"healthy": healthy, "epochs_by_rank": seen}))
    sys.exit(0 if healthy else 1)
