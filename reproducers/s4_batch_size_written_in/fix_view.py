"""S4: flatten(1) keeps the first axis as it is.

No batch size is written into the model.

Symptom: none: all three batches run
Needs:   torch; cpu; about 2 s
Run:     python fix_view.py
"""
import json
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader

batch_size = 4
samples = 10  # batches of 4, 4 and 2


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(15, 1)

    def forward(self, x):
        rows = x.flatten(1)  # FIX: as many rows as the batch has
        return self.head(rows)


if __name__ == "__main__":
    torch.manual_seed(0)
    model = Net()
    loader = DataLoader(torch.randn(samples, 5, 3), batch_size=batch_size)
    sizes = [len(model(batch)) for batch in loader]

    healthy = sizes == [4, 4, 2]
    print("OBSERVED", json.dumps({"healthy": healthy, "size_by_batch": sizes}))
    sys.exit(0 if healthy else 1)
