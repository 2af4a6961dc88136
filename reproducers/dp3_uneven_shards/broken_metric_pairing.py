"""DP3: a metric is averaged with a gradient, without any error.

Collectives are matched by their order, not by their meaning. A rank with fewer batches leaves its
loop, and its next collective is matched with the gradients of a rank that is still in the loop.

Symptom: 12 steps counted as 5.5 on rank 0 and 7.5 on rank 1; the weights of the ranks differ
Needs:   torch; cpu, linux; about 6 s
Run:     python broken_metric_pairing.py
"""
import json
import sys
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, IterableDataset

steps_by_epoch_and_rank = [[5, 7], [7, 5]]  # 12 in each epoch


class Shard(IterableDataset):
    """The records of one rank's own files, other files in every epoch."""

    def __init__(self, num_samples):
        self.num_samples = num_samples

    def __iter__(self):
        return (torch.ones(1) for _ in range(self.num_samples))


def train(rank, folder, steps_seen, weights):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    net = torch.nn.Linear(1, 1, bias=False)
    net.weight.data.zero_()
    model = DistributedDataParallel(net)
    optimizer = torch.optim.SGD(net.parameters(), lr=1.0)
    for epoch, steps_by_rank in enumerate(steps_by_epoch_and_rank):
        steps = torch.zeros(1)
        for batch in DataLoader(Shard(2 * steps_by_rank[rank]), batch_size=2):
            optimizer.zero_grad()
            model(batch).mean().backward()  # the gradient is 1 in every step of both ranks
            optimizer.step()
            steps += 1
        dist.all_reduce(steps)  # BUG: rank 0 calls this while rank 1 averages a gradient
        steps_seen[rank, epoch] = steps
    weights[rank] = net.weight.detach()
    dist.barrier()


if __name__ == "__main__":
    steps_seen = torch.zeros(2, 2).share_memory_()
    weights = torch.zeros(2).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder, steps_seen, weights),
                                              nprocs=2, start_method="fork")

    steps_seen, weights = steps_seen.tolist(), weights.tolist()
    healthy = steps_seen == [[12, 12], [12, 12]] and weights[0] == weights[1]
    print("OBSERVED", json.dumps({"healthy": healthy, "steps_by_rank_and_epoch": steps_seen,
                                  "weight_by_rank": weights}))
    sys.exit(0 if healthy else 1)
