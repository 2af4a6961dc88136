"""D9: the ranks of a DDP job have unequal numbers of batches: uneven inputs.

Every backward() of a DDP model is a meeting of all ranks. 11 samples dealt out by hand are 6 for
rank 0 and 5 for rank 1; DistributedSampler would have dealt 6 and 6, one of them twice. The rank
with more meets nobody in its last step.

Symptom: none: 6 batches for each rank, and every rank knows it before the first step
Needs:   torch; cpu, linux; about 3 s
Run:     python fix_distributed_sampler.py
"""
import json
import sys
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler, Subset, TensorDataset

dataset = TensorDataset(torch.ones(11, 1))


def check(rank, folder, lengths):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    by_hand = DataLoader(Subset(dataset, range(rank, len(dataset), 2)))
    by_sampler = DataLoader(dataset, sampler=DistributedSampler(dataset))  # FIX: it pads
    mine = torch.tensor([len(by_hand), len(by_sampler)])
    everyone = [torch.zeros_like(mine) for _ in range(2)]
    dist.all_gather(everyone, mine)  # every rank can ask this before it trains
    lengths[rank] = torch.stack(everyone, dim=1)


if __name__ == "__main__":
    lengths = torch.zeros(2, 2, 2, dtype=torch.int64).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(check, args=(folder, lengths), nprocs=2,
                                              start_method="fork")

    asked_by_0, asked_by_1 = lengths.tolist()
    healthy = asked_by_0 == asked_by_1 == [[6, 5], [6, 6]]
    print("OBSERVED", json.dumps({"healthy": healthy, "len_by_split_and_rank": asked_by_0}))
    sys.exit(0 if healthy else 1)
