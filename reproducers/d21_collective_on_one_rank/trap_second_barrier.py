"""D21: a second barrier after the `if` does not repair the first one inside it.

Rank 1 has one barrier, and it pairs with the first barrier of rank 0, the one inside the `if`. So
rank 1 goes on before the checkpoint is written.

Symptom: rank 1 passes the barrier before the checkpoint exists: FileNotFoundError
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
        time.sleep(1)  # a large checkpoint
        torch.save({"epoch": 1}, folder + "/checkpoint.pt")
    dist.barrier()  # BUG: on rank 1 this pairs with the barrier inside the if
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
