"""N7: after fully_shard() each rank gives its piece of the weights memory and start values.

to_empty() allocates, and reset_parameters() of each module fills.

Symptom: none: the model runs
Needs:   torch; cpu, linux; about 3 s
Run:     python broken_fsdp2.py; python fix_fsdp2.py
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
        with torch.device("meta"):
            model = torch.nn.Linear(4, 2)
        fully_shard(model, mesh=dist.init_device_mesh("cpu", (1,)))
        model.to_empty(device="cpu")  # FIX: memory and values before the first call
        model.reset_parameters()
        out = model(torch.ones(3, 4))
        dist.destroy_process_group()

    healthy = bool(out.isfinite().all()) and list(out.shape) == [3, 2]
    print("OBSERVED", json.dumps({"healthy": healthy, "outputs": list(out.shape)}))
    sys.exit(0 if healthy else 1)
