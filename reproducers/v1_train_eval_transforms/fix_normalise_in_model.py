"""V1: a model that normalises its input needs no Normalize in any transform.

The model subtracts the mean and divides by the std itself, from buffers that are saved with the
weights. Neither transform has to do it.

Symptom: none: uint8 images go into the model, and accuracy is 1.0 through both transforms
Needs:   torch; cpu; about 3 s
Run:     python fix_normalise_in_model.py
"""
import json
import sys

import torch
from torch import nn


class Normalise(nn.Module):
    def __init__(self, mean, std):
        super().__init__()
        self.register_buffer("mean", torch.tensor(mean).view(-1, 1, 1))  # FIX: saved in the model
        self.register_buffer("std", torch.tensor(std).view(-1, 1, 1))

    def forward(self, images):
        return (images.float() / 255 - self.mean) / self.std


torch.set_num_threads(1)  # the tensors are too small for threads to help
torch.manual_seed(2)
labels = torch.arange(128) % 2  # dark and bright images, uint8
images = (torch.randn(128, 1, 8, 8) * 20 + 90 + 50 * labels.view(-1, 1, 1, 1)).byte()
model = nn.Sequential(Normalise([0.45], [0.13]), nn.Flatten(), nn.Linear(64, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)


def train_transform(image):
    return image  # crops and flips belong here


def eval_transform(image):
    return image


def accuracy(transform):
    return (model(transform(images)).argmax(1) == labels).float().mean().item()


if __name__ == "__main__":
    for _ in range(50):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(train_transform(images)), labels).backward()
        optimizer.step()

    in_training, in_evaluation = accuracy(train_transform), accuracy(eval_transform)
    largest = (train_transform(images) - eval_transform(images)).abs().float().max().item()
    healthy = in_training > 0.95 and in_evaluation > 0.95
    print("OBSERVED", json.dumps({"healthy": healthy, "accuracy_train_transform": in_training,
                                  "accuracy_eval_transform": in_evaluation,
                                  "same_image_differs_by": round(largest, 2)}))
    sys.exit(0 if healthy else 1)
