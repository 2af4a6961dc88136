"""DP22: with only the floating tensors cast, ids and labels stay int64 and the step works.

to_model moves every tensor to the device and casts only those that are floating, also in nested
dicts, lists and tuples.

Symptom: none: ids and labels are int64, features are bfloat16
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


def to_model(batch, device, dtype):
    if isinstance(batch, dict):
        return {name: to_model(value, device, dtype) for name, value in batch.items()}
    if isinstance(batch, (list, tuple)):
        return [to_model(value, device, dtype) for value in batch]
    if torch.is_tensor(batch) and batch.is_floating_point():
        return batch.to(device, dtype)
    return batch.to(device) if torch.is_tensor(batch) else batch


if __name__ == "__main__":
    model = Tagger().to(dtype)
    batches = [{"ids": torch.tensor([7, 257, 30521]), "features": torch.randn(3, 3),
                "labels": torch.tensor([0, 4, 2])} for _ in range(2)]  # of one step
    batches = to_model(batches, "cpu", dtype)  # FIX: floats only

    for batch in batches:
        for name, value in batch.items():
            print(name, value.dtype)
        loss = F.cross_entropy(model(batch["ids"], batch["features"]), batch["labels"])
        loss.backward()
    dtypes = {name: str(value.dtype).replace("torch.", "") for name, value in batch.items()}
    healthy = bool(torch.isfinite(loss)) and dtypes["ids"] == dtypes["labels"] == "int64"
    print("OBSERVED", json.dumps({"healthy": healthy, "dtypes": dtypes}))
    sys.exit(0 if healthy else 1)
