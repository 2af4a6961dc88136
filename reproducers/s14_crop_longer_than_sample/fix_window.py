"""S14: the history of the first validation window comes from the training part.

All forecast values are in the held-out part. Their history may be older: it is known at that time.

Symptom: none: all 20 held-out values are forecast
Needs:   torch; cpu; about 3 s
Run:     python fix_window.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, Dataset

history, horizon = 24, 6


class Windows(Dataset):
    def __init__(self, series):
        self.series = series

    def __len__(self):
        return len(self.series) - history - horizon + 1

    def __getitem__(self, start):
        middle = start + history
        return self.series[start:middle], self.series[middle:middle + horizon]


if __name__ == "__main__":
    series = torch.arange(200.0)
    train_end = int(0.9 * len(series))
    train_set = Windows(series[:train_end])
    valid_set = Windows(series[train_end - history:])  # FIX: 24 older values as history
    targets = [target for _, target in DataLoader(valid_set, batch_size=None)]

    seen = sorted({int(value) for target in targets for value in target})
    healthy = seen == list(range(180, 200)) and len(train_set) == 151
    print("OBSERVED", json.dumps({"healthy": healthy, "values_forecast": len(seen)}))
    sys.exit(0 if healthy else 1)
