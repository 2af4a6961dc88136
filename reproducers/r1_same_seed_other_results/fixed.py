"""R1: two runs with the same seed agree, because all three generators are seeded.

One function seeds random, NumPy and torch, before the model and the data are created. Each run is
a new process, as when you start the training again.

Symptom: none: all losses of two runs are equal
Needs:   torch, numpy; cpu; about 5 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import multiprocessing
import random
import sys

import numpy as np
import torch

num_steps = 5
seed = 0


def seed_everything(seed):
    random.seed(seed)  # FIX: the augmentation
    np.random.seed(seed)  # FIX: the order of the samples
    torch.manual_seed(seed)  # FIX: the weights, and the generators of all GPUs


def train(run):
    seed_everything(seed)  # FIX: first, before the model and the data
    images = torch.randn(40, 6)
    model = torch.nn.Linear(6, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    order = np.random.permutation(len(images)).reshape(num_steps, -1)
    losses = []
    for indices in order:
        batch = images[torch.from_numpy(indices)]
        if random.random() < 0.5:
            batch = batch.flip(1)
        loss = model(batch).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


if __name__ == "__main__":
    spawn = multiprocessing.get_context("spawn")  # a new Python for each run
    with spawn.Pool(2, maxtasksperchild=1) as pool:
        first, second = pool.map(train, range(2), chunksize=1)

    equal = sum(a == b for a, b in zip(first, second))
    healthy = equal == num_steps and len(set(first)) == num_steps
    print("OBSERVED", json.dumps({"healthy": healthy, "equal_losses": equal,
                                  "steps": len(first)}))
    sys.exit(0 if healthy else 1)
