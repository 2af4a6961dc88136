"""S14: the validation part of a series is shorter than one window.

20 of 200 values are held out. A window needs 24 values of history and 6 to forecast, so the length
of the dataset is negative.

Symptom: ValueError: __len__() should return >= 0
Needs:   torch; cpu; about 3 s
Run:     python broken_window.py
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
    valid_set = Windows(series[train_end:])  # BUG: 20 values, and a window needs 30
    targets = [target for _, target in DataLoader(valid_set, batch_size=None)]

    seen = sorted({int(value) for target in targets for value in target})
    healthy = seen == list(range(180, 200)) and len(train_set) == 151
    print("OBSERVED", json.dumps({"healthy": healthy, "values_forecast": len(seen)}))
    sys.exit(0 if healthy else 1)
