"""D42: gloo refuses to send audio samples of 16 bits.

gloo has code for some dtypes only. int16, which is what a WAV file holds, is not among them, and
the message does not name it.

Symptom: RuntimeError: Invalid scalar type
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
        dist.broadcast(samples, src=0)  # BUG: gloo has no int16
        total = int(samples.sum())

    healthy = total == 32700
    print("OBSERVED", json.dumps({"healthy": healthy, "sum_of_samples": total}))
    sys.exit(0 if healthy else 1)
