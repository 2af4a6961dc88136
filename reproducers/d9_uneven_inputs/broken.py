"""D9: one rank has a batch more than the others, and no other rank takes part in its last step.

Every backward() of a DDP model averages the gradients with all ranks, so all ranks have to call it
the same number of times. A split by hand can give one rank more batches than another.

Symptom: 11 samples dealt out as 6 and 5; rank 0 fails in its 6th backward(): connection closed
Needs:   torch; cpu, linux; about 6 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader

dataset = torch.ones(11, 1)


def train(rank, folder, grads, weights):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    net = torch.nn.Linear(1, 1, bias=False)
    net.weight.data.zero_()
    model = DistributedDataParallel(net)
    optimizer = torch.optim.SGD(net.parameters(), lr=1.0)
    loader = DataLoader(dataset[rank::2])
    for step, x in enumerate(loader):  # BUG: 6 times on rank 0, 5 times on rank 1
        optimizer.zero_grad()
        model(x).mean().backward()
        optimizer.step()
        grads[rank, step] = net.weight.grad.item()
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
