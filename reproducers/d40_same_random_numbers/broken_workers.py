"""D40: the workers of both ranks get the same seeds, and augment their samples alike.

A loader draws the seed of its workers from the default generator, which one seed made equal on all
ranks. Each rank has other samples, with the same angles.

Symptom: no error: 16 samples with 8 different angles
Needs:   torch; cpu, linux; about 4 s
Run:     python broken_workers.py; python fix_workers.py
"""
import json
import sys
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, Dataset, DistributedSampler

seed = 0


class Images(Dataset):
    def __len__(self):
        return 16

    def __getitem__(self, index):
        return torch.rand(1)  # the angle of a random rotation


def train(rank, folder, angles):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    torch.manual_seed(seed)
    dataset = Images()
    loader = DataLoader(dataset, batch_size=4, sampler=DistributedSampler(dataset), num_workers=2,
                        multiprocessing_context="fork")  # BUG: the same seeds on all ranks
    angles[rank] = torch.cat([angle for angle in loader])[:, 0]


if __name__ == "__main__":
    angles = torch.zeros(2, 8).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder, angles), nprocs=2,
                                              start_method="fork")

    distinct = len(angles.unique())
    healthy = distinct == angles.numel()
    print("OBSERVED", json.dumps({"healthy": healthy, "samples": angles.numel(),
                                  "distinct_angles": distinct}))
    sys.exit(0 if healthy else 1)
