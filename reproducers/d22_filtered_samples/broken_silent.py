"""D22: if each rank skips once, in different epochs, nothing fails and steps are mixed up.

The totals agree, so no rank is left alone. In between, one rank is a step ahead, and gradients of
different epochs are averaged.

Symptom: in step 3 rank 0 averages its gradient of epoch 0 or 1 with one of the other epoch
Needs:   torch; cpu, linux; about 6 s
Run:     python broken_silent.py
"""
import json
import sys
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
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
    net = torch.nn.Linear(1, 1, bias=False)
    model, taken = DistributedDataParallel(net), 0
    for epoch in range(num_epochs):
        dataset.epoch = epoch
        for batch in loader:
            if batch is None:
                continue  # BUG: rank 0 does this in epoch 0, rank 1 in epoch 1
            net.zero_grad()
            x = torch.full_like(batch, epoch)  # so the gradient of this rank is the epoch
            model(x).mean().backward()
            partners[rank, taken] = 2 * net.weight.grad.item() - epoch
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
