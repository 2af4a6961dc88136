"""D36: N ranks and 1/N of the epochs, without a DistributedSampler: the model is trained less.

All ranks draw the same batches, and the mean of equal gradients is the gradient of one rank. So
2 ranks for 2 epochs end with the weights of 1 rank after 2 epochs, not after 4.

Symptom: half the epochs on 2 ranks gives exactly the weights of half the epochs on 1 rank
Needs:   torch; cpu, linux; about 3 s
Run:     python trap_divide_epochs.py
"""
import json
import sys
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader

dataset = [torch.tensor([i + 1.0]) for i in range(8)]
num_epochs = 4


def fit(net, model, epochs):
    torch.manual_seed(0)
    net.weight.data.zero_()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.001)
    loader = DataLoader(dataset, batch_size=2, shuffle=True)  # BUG: all samples on every rank
    for epoch in range(epochs):
        for x in loader:
            optimizer.zero_grad()
            (model(x) - 2 * x).pow(2).mean().backward()
            optimizer.step()
    return net.weight.item()


def train(rank, folder, weights):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    net = torch.nn.Linear(1, 1, bias=False)
    weights[rank] = fit(net, DistributedDataParallel(net), num_epochs // 2)  # BUG: same batches


if __name__ == "__main__":
    weights = torch.zeros(2).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder, weights), nprocs=2,
                                              start_method="fork")
    two_ranks, other = weights.tolist()
    net = torch.nn.Linear(1, 1, bias=False)
    one_rank_as_long = fit(net, net, num_epochs // 2)
    one_rank_all_epochs = fit(net, net, num_epochs)

    same_as_one_rank = two_ranks == other == one_rank_as_long
    healthy = not same_as_one_rank and one_rank_all_epochs > one_rank_as_long > 0
    print("OBSERVED", json.dumps({"healthy": healthy, "same_as_one_rank": same_as_one_rank,
                                  "weight_two_ranks_half_the_epochs": round(two_ranks, 4),
                                  "weight_one_rank_half_the_epochs": round(one_rank_as_long, 4),
                                  "weight_one_rank_all_epochs": round(one_rank_all_epochs, 4)}))
    sys.exit(0 if healthy else 1)
