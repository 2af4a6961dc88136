"""D36: with a DistributedSampler each rank trains on its share of the dataset.

The sampler shuffles all indices in the same order on every rank, and deals them out. set_epoch
gives each epoch its own order.

Symptom: none: 2 ranks, 8 samples, 2 steps per epoch on each rank; each sample seen once
Needs:   torch; cpu, linux; about 3 s
Run:     python fixed.py
"""
import json
import sys
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler

dataset = [(i, torch.tensor([i + 1.0])) for i in range(8)]
batch_size, num_epochs = 2, 2


def train(rank, folder, order, weights):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    torch.manual_seed(0)
    net = torch.nn.Linear(1, 1, bias=False)
    net.weight.data.zero_()
    model = DistributedDataParallel(net)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    sampler = DistributedSampler(dataset)  # FIX: this rank's share of the indices
    loader = DataLoader(dataset, batch_size=batch_size, sampler=sampler)  # FIX: no shuffle=True
    for epoch in range(num_epochs):
        sampler.set_epoch(epoch)  # FIX: a different order in each epoch
        for step, (index, x) in enumerate(loader):
            optimizer.zero_grad()
            (model(x) - 2 * x).pow(2).mean().backward()
            optimizer.step()
            order[rank, epoch, step] = index
    weights[rank] = net.weight.item()


if __name__ == "__main__":
    order = torch.full((2, 2, 4, 2), -1).share_memory_()  # -1: no such step
    weights = torch.zeros(2).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder, order, weights), nprocs=2,
                                              start_method="fork")

    taken = order[..., 0] >= 0
    steps = taken.sum(dim=(1, 2)).tolist()
    seen = [[int((order[:, epoch] == i).sum()) for i in range(8)] for epoch in range(2)]
    same_batches = int((taken & (order[0] == order[1]).all(dim=-1)).any(dim=0).sum())
    reshuffled = not torch.equal(order[0, 0], order[0, 1])
    learned = bool(weights[0] == weights[1]) and abs(weights[0].item() - 2) < 1
    healthy = steps == [4, 4] and seen == [[1] * 8] * 2 and reshuffled and learned
    print("OBSERVED", json.dumps({"healthy": healthy, "steps_by_rank": steps,
                                  "times_seen_by_epoch_and_sample": seen,
                                  "same_batches": same_batches, "reshuffled": reshuffled,
                                  "learned": learned}))
    sys.exit(0 if healthy else 1)
