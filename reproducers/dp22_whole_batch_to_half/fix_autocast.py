"""DP22: a batch cast to half precision as a whole, with its ids, labels and masks.

Half precision is for values that are computed with. Token ids, class labels and masks name
things: as bfloat16 or float16 they are refused where an index is due, and where they are not,
they have lost digits. bfloat16 holds every integer up to 256, and then every second one.

Symptom: the batch stays as it is, and the layers compute in bfloat16
Needs:   torch; cpu; about 2 s
Run:     python fix_autocast.py; python broken.py
"""
import json
import sys

import torch
from torch.nn import functional as F

torch.manual_seed(0)
dtype = torch.bfloat16


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
    with torch.autocast("cpu", dtype=dtype):  # FIX: casts inside the layers; "cuda" on a GPU
        logits = model(batch["ids"], batch["features"])
        loss = F.cross_entropy(logits.float(), batch["labels"])
    loss.backward()

    dtypes = {name: str(value.dtype)[6:] for name, value in batch.items()}
    healthy = (logits.dtype == dtype and bool(torch.isfinite(loss))
               and dtypes == {"ids": "int64", "features": "float32", "labels": "int64"})
    print("OBSERVED", json.dumps({"healthy": healthy, "logits": str(logits.dtype)[6:],
                                  "dtypes": dtypes}))
    sys.exit(0 if healthy else 1)
