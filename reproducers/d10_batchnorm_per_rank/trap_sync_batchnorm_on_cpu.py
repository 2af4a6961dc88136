"""D10: a model with SyncBatchNorm does not train on a CPU.

The conversion works; the first training forward() raises. In eval mode the layer is an ordinary
BatchNorm and runs anywhere.

Symptom: ValueError: SyncBatchNorm expected input tensor to be on GPU
Needs:   torch; cpu, linux; about 3 s
Run:     python trap_sync_batchnorm_on_cpu.py
"""
import json
import sys
import tempfile
from datetime import timedelta

import torch
import torch.distributed as dist

batch = torch.randn(8, 4)


def train(rank, folder, steps):
    dist.init_process_group("gloo", init_method="file://" + folder + "/rendezvous", rank=rank,
                            world_size=2, timeout=timedelta(seconds=60))
    net = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4))
    net = torch.nn.SyncBatchNorm.convert_sync_batchnorm(net)
    net(batch)  # BUG: the conversion works on a CPU, the layer does not
    steps[rank] += 1


if __name__ == "__main__":
    steps = torch.zeros(2, dtype=torch.int64).share_memory_()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.start_processes(train, args=(folder, steps), nprocs=2,
                                              start_method="fork")

    steps = steps.tolist()
    healthy = steps == [1, 1]
    print("OBSERVED", json.dumps({"healthy": healthy, "steps_by_rank": steps}))
    sys.exit(0 if healthy else 1)
