"""D9: the ranks of a DDP job have unequal numbers of batches: uneven inputs.

Every backward() of a DDP model is a meeting of all ranks. 11 samples dealt out by hand are 6 for
rank 0 and 5 for rank 1; DistributedSampler would have dealt 6 and 6, one of them twice. The rank
with more meets nobody in its last step.

Symptom: none: both models finish; the last gradient is 1.0, not 0.5
Needs:   torch; cpu, linux; about 6 s
Run:     python fix_join_two_models.py
"""
import json
import sys
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.algorithms.join import Join
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Subset, TensorDataset

dataset = TensorDataset(torch.ones(11, 1))


def one_step(model, optimizer, x):
    optimizer.zero_grad()
    model(x).mean().backward()
    optimizer.step()
    return model.module.weight.grad.item()


def train(rank, folder, grads, weights):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    net = torch.nn.Linear(1, 1, bias=False)
    net.weight.data.zero_()
    model = DistributedDataParallel(net)
    critic = DistributedDataParallel(torch.nn.Linear(1, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=1.0)
    mine = Subset(dataset, range(rank, len(dataset), 2))
    # FIX: one Join for all models; the last step is averaged over the ranks that are still there
    with Join([model, critic], divide_by_initial_world_size=False):
        for step, (x,) in enumerate(DataLoader(mine)):
            grads[rank, step] = one_step(model, optimizer, x)
            critic(x).mean().backward()
    weights[rank] = net.weight.item()


if __name__ == "__main__":
    grads = torch.zeros(2, 6).share_memory_()  # 0: no such step
    weights = torch.zeros(2).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder, grads, weights), nprocs=2,
                                              start_method="fork")

    steps = [int((row > 0).sum()) for row in grads]
    same = bool(weights[0] == weights[1])
    healthy = steps == [6, 5] and same
    print("OBSERVED", json.dumps({"healthy": healthy, "steps_by_rank": steps, "same_weights": same,
                                  "grad_by_rank_and_step": grads.tolist()}))
    sys.exit(0 if healthy else 1)
