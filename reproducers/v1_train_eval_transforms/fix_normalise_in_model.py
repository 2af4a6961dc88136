"""V1: training and evaluation do not normalise the pixels in the same way.

Two transforms are written for one model, one for training and one for evaluation, and they drift
apart. The weights fit the training one only. Shapes and types agree, so nothing can be raised;
a BatchNorm near the input, left in training mode, even hides the difference.

Symptom: the model takes uint8 pictures and normalises by itself; there is nothing left to forget
Needs:   torch; cpu; about 3 s
Run:     python fix_normalise_in_model.py
"""
import json
import sys

import torch
from torch import nn


class Normalise(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.tensor(0.45))  # FIX: travels with the weights
        self.register_buffer("std", torch.tensor(0.13))

    def forward(self, picture):
        return (picture.float() / 255 - self.mean) / self.std


torch.set_num_threads(1)  # for tensors as small as these
torch.manual_seed(0)
labels = torch.arange(128) % 2  # dark and bright pictures, uint8
pictures = (torch.randn(128, 1, 8, 8) * 20 + 90 + 50 * labels.view(-1, 1, 1, 1)).byte()
model = nn.Sequential(Normalise(), nn.Flatten(), nn.Linear(64, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)


def train_transform(picture):
    return picture  # crops and flips go here


def eval_transform(picture):
    return picture


def accuracy(transform):
    return (model(transform(pictures)).argmax(1) == labels).float().mean().item()


if __name__ == "__main__":
    for _ in range(50):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(train_transform(pictures)), labels).backward()
        optimizer.step()

    in_training, in_evaluation = accuracy(train_transform), accuracy(eval_transform)
    largest = (train_transform(pictures) - eval_transform(pictures)).abs().float().max().item()
    healthy = in_training > 0.95 and in_evaluation > 0.95
    print("OBSERVED", json.dumps({"healthy": healthy, "accuracy_train_transform": in_training,
                                  "accuracy_eval_transform": in_evaluation,
                                  "same_picture_differs_by": round(largest, 2)}))
    sys.exit(0 if healthy else 1)
