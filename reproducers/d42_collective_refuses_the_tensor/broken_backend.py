"""D42: a collective gets a tensor on the CPU, and the group has a backend for GPUs only.

A group that was made for one kind of device sends nothing from the other. The same happens with
"nccl" and a tensor on the CPU.

Symptom: RuntimeError: No backend type associated with device type cpu
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

backend = "cuda:gloo"  # BUG: nothing for the CPU

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        dist.init_process_group(backend, init_method=f"file://{folder}/store", rank=0, world_size=1)
        samples = torch.tensor([32000, 500, 200])
        dist.all_reduce(samples)
        total = int(samples.sum())

    healthy = total == 32700
    print("OBSERVED", json.dumps({"healthy": healthy, "sum_of_samples": total}))
    sys.exit(0 if healthy else 1)
