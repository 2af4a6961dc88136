"""D42: samples of 16 bits travel as int32.

int32 is a dtype that gloo has, and it holds every value of int16. All ranks have to convert.

Symptom: none: the sum of the samples is 32700
Needs:   torch; cpu, linux; about 4 s
Run:     python broken.py; python fixed.py
"""
import json
import sys
import tempfile

import torch
import torch.distributed as dist

if [int(part) for part in torch.__version__.split(".")[:2]] < [2, 4]:
    print("SKIPPED this was tried from torch 2.4 on")
    sys.exit(77)

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=0, world_size=1)
        samples = torch.tensor([32000, 500, 200], dtype=torch.int16)
        samples = samples.to(torch.int32)  # FIX: a dtype that gloo has
        dist.broadcast(samples, src=0)
        total = int(samples.sum())

    healthy = total == 32700
    print("OBSERVED", json.dumps({"healthy": healthy, "sum_of_samples": total}))
    sys.exit(0 if healthy else 1)
