"""DP22: under autocast the batch is left alone, and the layers compute in bfloat16.

Model and batch stay in float32. autocast casts the inputs of the layers that benefit from it, and
leaves integers alone.

Symptom: none: logits are bfloat16, ids and labels int64
Needs:   torch; cpu; about 2 s
Run:     python fix_autocast.py; python broken.py
"""
import json
import sys

import torch
from torch.nn import functional as F

torch.manual_seed(0)
device, dtype = "cpu", torch.bfloat16  # "cuda" on a GPU


class Tagger(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = torch.nn.Embedding(60000, 8)
        self.mix = torch.nn.Linear(8 + 3, 5)

    def forward(self, ids, features):
        return self.mix(torch.cat([self.embed(ids), features], dim=-1))


if __name__ == "__main__":
    model = Tagger()  # in float32
    batch = {"ids": torch.tensor([7, 257, 30521]), "features": torch.randn(3, 3),
             "labels": torch.tensor([0, 4, 2])}
    with torch.autocast(device, dtype=dtype):  # FIX: casts inside the layers, not the batch
        logits = model(batch["ids"], batch["features"])
        loss = F.cross_entropy(logits.float(), batch["labels"])
    loss.backward()

    dtypes = {name: str(value.dtype).replace("torch.", "") for name, value in batch.items()}
    logits_dtype = str(logits.dtype).replace("torch.", "")
    healthy = (logits.dtype == dtype and bool(torch.isfinite(loss))
               and dtypes == {"ids": "int64", "features": "float32", "labels": "int64"})
    print("OBSERVED", json.dumps({"healthy": healthy, "logits": logits_dtype, "dtypes": dtypes}))
    sys.exit(0 if healthy else 1)
