"""S4: the hidden state has the size of the batch that comes in.

10 samples in batches of 4 give a last batch of 2. x.size(0) is the size of each of them.

Symptom: none: all three batches run
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
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
        self.lstm = nn.LSTM(3, 8, batch_first=True)
        self.head = nn.Linear(8, 1)

    def forward(self, x):
        hidden = torch.zeros(1, x.size(0), 8, device=x.device)  # FIX: the size of this batch
        output, state = self.lstm(x, (hidden, hidden))
        return self.head(output[:, -1])


if __name__ == "__main__":
    torch.manual_seed(0)
    model = Net()
    loader = DataLoader(torch.randn(samples, 5, 3), batch_size=batch_size)
    sizes = [len(model(batch)) for batch in loader]

    healthy = sizes == [4, 4, 2]
    print("OBSERVED", json.dumps({"healthy": healthy, "size_by_batch": sizes}))
    sys.exit(0 if healthy else 1)
