"""N1: under FSDP2 a method that is called directly meets sharded parameters.

fully_shard() gathers the parameters in a hook of the call. encode() does not go through it.

Symptom: RuntimeError: aten.addmm.default got mixed torch.Tensor and DTensor, ...
Needs:   torch; cpu, linux; about 8 s
Run:     python broken_fsdp2_method.py; python fix_fsdp2_method.py
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
        out = model.encode(torch.ones(4, 2))  # BUG: not a call of the model
        dist.destroy_process_group()

    healthy = list(out.shape) == [4, 1]
    print("OBSERVED", json.dumps({"healthy": healthy, "outputs": list(out.shape)}))
    sys.exit(0 if healthy else 1)
