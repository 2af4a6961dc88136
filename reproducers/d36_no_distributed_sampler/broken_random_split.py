"""D36: random_split with a different seed on each rank: ranks train on validation data of others.

random_split draws from the global generator. Each rank divides the dataset in its own way, and a
DistributedSampler then deals out two different training sets.

Symptom: of 12 samples, several are in one rank's training set and another's validation set
Needs:   torch; cpu, linux; about 3 s
Run:     python broken_random_split.py; python fix_random_split.py
"""
import json
import sys
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler, random_split

dataset = range(12)


def train(rank, folder, trained, validated):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    torch.manual_seed(rank)  # so that the ranks draw different augmentations
    train_set, val_set = random_split(dataset, [8, 4])  # BUG: a different split on each rank
    loader = DataLoader(train_set, batch_size=2, sampler=DistributedSampler(train_set))
    for index in loader:
        trained[rank, index] += 1
    for index in DataLoader(val_set, batch_size=2):
        validated[rank, index] += 1


if __name__ == "__main__":
    trained = torch.zeros(2, 12, dtype=torch.int64).share_memory_()
    validated = torch.zeros(2, 12, dtype=torch.int64).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder, trained, validated), nprocs=2,
                                              start_method="fork")

    times_trained, times_validated = trained.sum(dim=0), validated.sum(dim=0)
    in_both = int(((times_trained > 0) & (times_validated > 0)).sum())
    trained_twice = int((times_trained > 1).sum())
    drawn_by_rank = trained.sum(dim=1).tolist()
    validated_by_rank = validated.sum(dim=1).tolist()
    healthy = (in_both == 0 and trained_twice == 0 and drawn_by_rank == [4, 4]
               and validated_by_rank == [4, 4])
    print("OBSERVED", json.dumps({"healthy": healthy, "trained_on_and_validated": in_both,
                                  "trained_twice": trained_twice,
                                  "trained_by_rank": drawn_by_rank,
                                  "validated_by_rank": validated_by_rank}))
    sys.exit(0 if healthy else 1)
