"""D40: the split has its own generator, with the common seed on all ranks.

Everything else may depend on the rank.

Symptom: none: all ranks have the same split
Needs:   torch; cpu, linux; about 3 s
Run:     python fix_split.py
"""
import json
import sys
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.utils.data import random_split

seed = 0


def train(rank, folder, parts):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    torch.manual_seed(seed + rank)
    common = torch.Generator().manual_seed(seed)  # FIX: the same on every rank
    train_set, valid_set = random_split(range(100), [80, 20], generator=common)  # FIX: from it
    parts[rank, train_set.indices] = 1


if __name__ == "__main__":
    parts = torch.zeros(2, 100).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder, parts), nprocs=2,
                                              start_method="fork")

    in_both = int((parts[0] != parts[1]).sum())
    healthy = in_both == 0 and int(parts.sum()) == 160
    print("OBSERVED", json.dumps({"healthy": healthy, "samples": parts.shape[1],
                                  "samples_in_training_and_validation": in_both}))
    sys.exit(0 if healthy else 1)
