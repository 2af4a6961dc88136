"""C13: torch.manual_seed at the start of the resumed process replays the order of epoch 0.

The loader draws the order of each epoch from the global generator. A generator that is seeded again
starts with the order of the first epoch.

Symptom: the resumed epoch 2 has the order of epoch 0
Needs:   torch; cpu; about 2 s
Run:     python trap_reseed.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader

samples = 8


def orders(loader, epochs):
    return [torch.cat(list(loader)).tolist() for _ in range(epochs)]


if __name__ == "__main__":
    torch.manual_seed(0)
    whole = orders(DataLoader(torch.arange(samples), batch_size=4, shuffle=True), 3)

    torch.manual_seed(0)  # BUG: again, in the resumed process
    resumed = orders(DataLoader(torch.arange(samples), batch_size=4, shuffle=True), 1)[0]

    epochs = ["epoch 0", "epoch 1", "epoch 2", "epoch 2, resumed"]
    healthy = resumed == whole[2]
    print("OBSERVED", json.dumps({"healthy": healthy, "resumed_epoch_2_is_epoch":
                                  whole.index(resumed) if resumed in whole else None,
                                  "epochs": epochs, "order_by_epoch": [*whole, resumed]}))
    sys.exit(0 if healthy else 1)
