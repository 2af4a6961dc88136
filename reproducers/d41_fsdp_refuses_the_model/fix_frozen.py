"""D41: with use_orig_params=True a unit may have frozen and trained weights.

Symptom: none: the model runs
Needs:   torch; cpu, linux; about 3 s
Run:     python broken_frozen.py; python fix_frozen.py
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
        model[0].requires_grad_(False)
        model = FSDP(model, device_id=cpu, use_orig_params=True)  # FIX
        out = model(torch.ones(3, 4))

    healthy = bool(out.isfinite().all()) and list(out.shape) == [3, 2]
    print("OBSERVED", json.dumps({"healthy": healthy, "outputs": list(out.shape)}))
    sys.exit(0 if healthy else 1)
