"""O5: a model that stays in eval mode after validation trains without dropout.

validate() calls model.eval(), and the training loop calls model.train() only once, before the first
epoch. From the second epoch on the model trains in eval mode.

Symptom: from the second epoch on nothing is dropped, and BatchNorm updates no statistics
Needs:   torch; cpu; about 3 s
Run:     python broken_never_back_to_train.py; python fixed.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.5),
                      nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
batches = torch.randn(4, 64, 8) + 3
targets = torch.randn(4, 64, 1)


def validate(model):
    model.eval()  # BUG: nothing sets it back, and the loop calls train() only once
    with torch.no_grad():
        return nn.functional.mse_loss(model(batches[0]), targets[0]).item()


if __name__ == "__main__":
    model.train()
    updates, training = [], []
    for epoch in range(3):
        before = int(model[1].num_batches_tracked)
        training.append(model.training)
        for batch, target in zip(batches, targets):
            optimizer.zero_grad()
            nn.functional.mse_loss(model(batch), target).backward()
            optimizer.step()
        updates.append(int(model[1].num_batches_tracked) - before)
        validate(model)

    healthy = updates == [len(batches)] * 3
    print("OBSERVED", json.dumps({"healthy": healthy, "training_mode_by_epoch": training,
                                  "batchnorm_updates_by_epoch": updates}))
    sys.exit(0 if healthy else 1)
