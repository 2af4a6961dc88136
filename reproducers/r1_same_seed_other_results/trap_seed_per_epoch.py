"""R1: a call of torch.manual_seed(seed) in each epoch repeats the first epoch.

The seed sets the generator back to the same state, so each epoch has the same sample order and the
same dropout masks.

Symptom: 3 epochs, only 1 distinct order and 1 distinct dropout mask
Needs:   torch; cpu; about 2 s
Run:     python trap_seed_per_epoch.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader

num_epochs = 3


def train():
    loader = DataLoader(torch.arange(16), batch_size=16, shuffle=True)
    orders, masks = [], []
    for _ in range(num_epochs):
        torch.manual_seed(0)  # BUG: every epoch starts from the same state
        for batch in loader:
            orders.append(batch.tolist())
            masks.append(torch.dropout(torch.ones(16), 0.5, True).tolist())
    return orders, masks


if __name__ == "__main__":
    orders, masks = train()

    distinct = [len({tuple(order) for order in orders}), len({tuple(mask) for mask in masks})]
    healthy = distinct == [num_epochs, num_epochs]
    print("OBSERVED", json.dumps({"healthy": healthy, "distinct_orders": distinct[0],
                                  "distinct_masks": distinct[1]}))
    sys.exit(0 if healthy else 1)
