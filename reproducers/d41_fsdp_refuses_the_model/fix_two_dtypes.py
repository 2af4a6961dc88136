"""D41: all weights that FSDP2 shards together have one dtype.

Symptom: none: the model runs
Needs:   torch; cpu, linux; about 3 s
Run:     python broken_two_dtypes.py; python fix_two_dtypes.py
"""
import json
import sys
import tempfile

import torch
import torch.distributed as dist

try:
    from torch.distributed.fsdp import fully_shard
except ImportError:
    print(f"SKIPPED torch {torch.__version__} has no fully_shard here")
    sys.exit(77)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=0, world_size=1)
        mesh = dist.init_device_mesh("cpu", (1,))
        model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 2))
        model[0].to(torch.bfloat16)
        fully_shard(model.to(torch.float32), mesh=mesh)  # FIX: one dtype
        out = model(torch.ones(3, 4))

    healthy = bool(out.isfinite().all()) and list(out.shape) == [3, 2]
    print("OBSERVED", json.dumps({"healthy": healthy, "outputs": list(out.shape)}))
    sys.exit(0 if healthy else 1)
