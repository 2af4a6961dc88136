"""D41: fully_shard() is also called on the whole model, so all gradients are DTensors.

Symptom: none: the gradients are clipped
Needs:   torch; cpu, linux; about 3 s
Run:     python broken_partly.py; python fix_partly.py
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
        fully_shard(model[0], mesh=mesh)
        fully_shard(model, mesh=mesh)  # FIX: what is left
        out = model(torch.ones(3, 4))
        out.sum().backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)

    healthy = bool(out.isfinite().all()) and list(out.shape) == [3, 2]
    print("OBSERVED", json.dumps({"healthy": healthy, "outputs": list(out.shape)}))
    sys.exit(0 if healthy else 1)
