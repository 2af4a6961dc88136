"""S4: the hidden state has the configured batch size, and the last batch is smaller.

10 samples in batches of 4 give a last batch of 2. Everything that is created with the constant 4
does not fit it.

Symptom: RuntimeError: Expected hidden[0] size (1, 2, 8), got [1, 4, 8]
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
        hidden = torch.zeros(1, batch_size, 8)  # BUG: the size from the settings
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
