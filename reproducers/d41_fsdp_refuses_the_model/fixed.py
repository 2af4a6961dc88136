"""D41: all weights of a unit have one dtype before FSDP wraps it.

Symptom: none: the model runs
Needs:   torch; cpu, linux; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys
import tempfile

import torch
import torch.distributed as dist

if tuple(map(int, torch.__version__.split(".")[:2])) < (2, 4):
    print("SKIPPED FSDP on the CPU was tried from torch 2.4 on")
    sys.exit(77)

from torch.distributed.fsdp import FullyShardedDataParallel as FSDP

cpu = torch.device("cpu")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=0, world_size=1)
        model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 2))
        model[0].to(torch.bfloat16)
        model = FSDP(model.to(torch.float32), device_id=cpu)  # FIX: one dtype
        out = model(torch.ones(3, 4))

    healthy = bool(out.isfinite().all()) and list(out.shape) == [3, 2]
    print("OBSERVED", json.dumps({"healthy": healthy, "outputs": list(out.shape)}))
    sys.exit(0 if healthy else 1)
