"""DP22: casting the whole batch casts the token ids, and the embedding refuses them.

Ids and labels are integers because they name a row. A line that casts every tensor of the batch
makes floats of them, and a float cannot be an index.

Symptom: RuntimeError: Expected tensor for argument #1 'indices' ... got CPUBFloat16Type
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
    batches = [{"ids": torch.tensor([7, 257, 30521]), "features": torch.randn(3, 3),
                "labels": torch.tensor([0, 4, 2])} for _ in range(2)]  # of one step
    batches = [{name: value.to(dtype) for name, value in batch.items()}  # BUG: ids as well
               for batch in batches]

    for batch in batches:
        for name, value in batch.items():
            print(name, value.dtype)
        loss = F.cross_entropy(model(batch["ids"], batch["features"]), batch["labels"])
        loss.backward()
    dtypes = {name: str(value.dtype).replace("torch.", "") for name, value in batch.items()}
    healthy = bool(torch.isfinite(loss)) and dtypes["ids"] == dtypes["labels"] == "int64"
    print("OBSERVED", json.dumps({"healthy": healthy, "dtypes": dtypes}))
    sys.exit(0 if healthy else 1)
