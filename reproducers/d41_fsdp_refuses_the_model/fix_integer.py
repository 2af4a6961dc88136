"""D41: the integer parameters stay outside of FSDP, whole on every rank.

Symptom: none: the model runs
Needs:   torch; cpu, linux; about 3 s
Run:     python broken_integer.py; python fix_integer.py
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


class Quantised(torch.nn.Module):
    """A frozen weight of 8 bits with its scale."""

    def __init__(self):
        super().__init__()
        codes = torch.randint(-9, 9, (2, 4), dtype=torch.int8)
        self.codes = torch.nn.Parameter(codes, requires_grad=False)
        self.scale = torch.nn.Parameter(torch.ones(2, 1) / 9)

    def forward(self, x):
        return x @ (self.codes * self.scale).t()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=0, world_size=1)
        model = Quantised()
        whole = [p for p in model.parameters() if not p.is_floating_point()]
        model = FSDP(model, device_id=cpu, ignored_states=whole)  # FIX: not flattened
        out = model(torch.ones(3, 4))

    healthy = bool(out.isfinite().all()) and list(out.shape) == [3, 2]
    print("OBSERVED", json.dumps({"healthy": healthy, "outputs": list(out.shape)}))
    sys.exit(0 if healthy else 1)
