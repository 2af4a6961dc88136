"""D22: samples are skipped after the sampler, and the ranks' numbers of steps differ.

DistributedSampler gives every rank equally many indices. A collate_fn that throws out unreadable
samples and a loop that skips the empty batch undo that: one rank takes a step less. Its next step
is averaged with an older step of the other rank; what stops, stops epochs later.

Symptom: 5 steps on each rank in the end, no error; step 3 averages two different epochs
Needs:   torch; cpu, linux; about 4 s
Run:     python broken_silent.py
"""
import json
import sys
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, Dataset, DistributedSampler

unreadable = [{4, 6}, {5, 7}]  # by epoch: a random crop that fails, say
num_epochs = 2


class Photos(Dataset):
    epoch = 0

    def __len__(self):
        return 12

    def __getitem__(self, index):
        return None if index in unreadable[self.epoch] else torch.tensor([float(index)])


def drop_unreadable(samples):
    samples = [sample for sample in samples if sample is not None]
    return torch.stack(samples) if samples else None


def train(rank, folder, partners):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    dataset = Photos()
    loader = DataLoader(dataset, batch_size=2, collate_fn=drop_unreadable,
                        sampler=DistributedSampler(dataset, shuffle=False))
    grad, taken = torch.zeros(1), 0
    for epoch in range(num_epochs):
        dataset.epoch = epoch
        for batch in loader:
            if batch is None:
                continue  # BUG: rank 0 does this in epoch 0, rank 1 in epoch 1
            grad.fill_(epoch)  # a "gradient" that tells which epoch it comes from
            dist.all_reduce(grad)
            partners[rank, taken] = grad[0] - epoch
            taken += 1


if __name__ == "__main__":
    partners = torch.zeros(2, 5).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder, partners), nprocs=2,
                                              start_method="fork")

    partners = partners.tolist()
    healthy = partners[0] == partners[1]
    print("OBSERVED", json.dumps({"healthy": healthy,
                                  "epoch_of_the_partner_by_rank_and_step": partners}))
    sys.exit(0 if healthy else 1)
