"""N1: under FSDP2 a registered method gathers the parameters as a call does.

register_fsdp_forward_method() runs the hooks around encode().

Symptom: none: four outputs
Needs:   torch; cpu, linux; about 8 s
Run:     python fix_fsdp2_method.py; python broken_fsdp2_method.py
"""
import json
import sys
import tempfile

import torch
import torch.distributed as dist

try:
    from torch.distributed.fsdp import fully_shard, register_fsdp_forward_method
except ImportError:
    print(f"SKIPPED torch {torch.__version__} has no fully_shard here")
    sys.exit(77)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)

    def encode(self, x):
        return self.layer(x)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=0, world_size=1)
        mesh = dist.init_device_mesh("cpu", (1,))
        model = fully_shard(Net(), mesh=mesh)
        register_fsdp_forward_method(model, "encode")  # FIX: as a call
        out = model.encode(torch.ones(4, 2))
        dist.destroy_process_group()

    healthy = list(out.shape) == [4, 1]
    print("OBSERVED", json.dumps({"healthy": healthy, "outputs": list(out.shape)}))
    sys.exit(0 if healthy else 1)
