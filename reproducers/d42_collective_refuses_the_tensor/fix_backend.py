"""D42: the group has a backend for the CPU.

On a machine with GPUs write "cpu:gloo,cuda:nccl": then each tensor goes through the backend of its
device.

Symptom: none: the sum of the samples is 32700
Needs:   torch; cpu, linux; about 4 s
Run:     python broken_backend.py; python fix_backend.py
"""
import json
import sys
import tempfile

import torch
import torch.distributed as dist

if [int(part) for part in torch.__version__.split(".")[:2]] < [2, 4]:
    print("SKIPPED this was tried from torch 2.4 on")
    sys.exit(77)

backend = "cpu:gloo"  # FIX: with GPUs "cpu:gloo,cuda:nccl"

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        dist.init_process_group(backend, init_method=f"file://{folder}/store", rank=0, world_size=1)
        samples = torch.tensor([32000, 500, 200])
        dist.all_reduce(samples)
        total = int(samples.sum())

    healthy = total == 32700
    print("OBSERVED", json.dumps({"healthy": healthy, "sum_of_samples": total}))
    sys.exit(0 if healthy else 1)
