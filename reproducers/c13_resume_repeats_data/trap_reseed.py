"""C13: a resume in the middle of an epoch repeats some samples and skips others.

The order of an epoch is a random permutation, and the loop's place in it is a count. A
checkpoint with the epoch alone starts a new permutation at 0. The count has to be taken where
the batches are used: sampler and dataset are ahead of the loop by what the workers have
prefetched.

Symptom: seeded again at the resume, epoch 2 has the order of epoch 0
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

    torch.manual_seed(0)  # BUG: "for reproducibility", at the start of the resumed process as well
    resumed = orders(DataLoader(torch.arange(samples), batch_size=4, shuffle=True), 1)[0]

    epochs = ["epoch 0", "epoch 1", "epoch 2", "epoch 2, resumed"]
    healthy = resumed == whole[2]
    print("OBSERVED", json.dumps({"healthy": healthy, "resumed_epoch_2_is_epoch":
                                  whole.index(resumed) if resumed in whole else None,
                                  "epochs": epochs, "order_by_epoch": [*whole, resumed]}))
    sys.exit(0 if healthy else 1)
