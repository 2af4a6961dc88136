"""DP22: a batch cast to half precision as a whole, with its ids, labels and masks.

Half precision is for values that are computed with. Token ids, class labels and masks name
things: as bfloat16 or float16 they are refused where an index is due, and where they are not,
they have lost digits. bfloat16 holds every integer up to 256, and then every second one.

Symptom: the embedding layer refuses the batch
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
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
        return self.mix(torch.cat([self.embed(ids), features], dim=-1)).float()


if __name__ == "__main__":
    model = Tagger().to(dtype)
    batch = {"ids": torch.tensor([7, 257, 30521]), "features": torch.randn(3, 3),
             "labels": torch.tensor([0, 4, 2])}
    batch = {name: value.to(dtype) if value.is_floating_point() else value  # FIX: floats only
             for name, value in batch.items()}

    loss = F.cross_entropy(model(batch["ids"], batch["features"]), batch["labels"])
    loss.backward()
    dtypes = {name: str(value.dtype)[6:] for name, value in batch.items()}
    healthy = bool(torch.isfinite(loss)) and dtypes["ids"] == dtypes["labels"] == "int64"
    print("OBSERVED", json.dumps({"healthy": healthy, "dtypes": dtypes}))
    sys.exit(0 if healthy else 1)
