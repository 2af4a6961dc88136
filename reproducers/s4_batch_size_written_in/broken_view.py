"""S4: view() has the configured batch size, and the last batch is smaller.

10 samples in batches of 4 give a last batch of 2, which has too few numbers for 4 rows.

Symptom: RuntimeError: shape '[4, 15]' is invalid for input of size 30
Needs:   torch; cpu; about 2 s
Run:     python broken_view.py
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
        rows = x.view(batch_size, 15)  # BUG: the size from the settings
        return self.head(rows)


if __name__ == "__main__":
    torch.manual_seed(0)
    model = Net()
    loader = DataLoader(torch.randn(samples, 5, 3), batch_size=batch_size)
    sizes = [len(model(batch)) for batch in loader]

    healthy = sizes == [4, 4, 2]
    print("OBSERVED", json.dumps({"healthy": healthy, "size_by_batch": sizes}))
    sys.exit(0 if healthy else 1)
