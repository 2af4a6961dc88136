"""V1: training normalises the pixels and evaluation does not.

The training transform normalises, the evaluation transform does not, and the weights fit only the
first. Shapes and types agree, so nothing is raised.

Symptom: accuracy 1.0 on the training images, 0.5 on the same images through the other transform
Needs:   torch; cpu; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch import nn

torch.set_num_threads(1)  # the tensors are too small for threads to help
torch.manual_seed(2)
labels = torch.arange(128) % 2  # dark and bright images, uint8
images = (torch.randn(128, 1, 8, 8) * 20 + 90 + 50 * labels.view(-1, 1, 1, 1)).byte()
model = nn.Sequential(nn.Flatten(), nn.Linear(64, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)


def normalise(image):
    return (image.float() / 255 - 0.45) / 0.13


def train_transform(image):
    return normalise(image)


def eval_transform(image):
    return image.float() / 255  # BUG: Normalize was added to the training transform only


def accuracy(transform):
    return (model(transform(images)).argmax(1) == labels).float().mean().item()


if __name__ == "__main__":
    for _ in range(50):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(train_transform(images)), labels).backward()
        optimizer.step()

    in_training, in_evaluation = accuracy(train_transform), accuracy(eval_transform)
    largest = (train_transform(images) - eval_transform(images)).abs().max().item()
    healthy = in_training > 0.95 and in_evaluation > 0.95
    print("OBSERVED", json.dumps({"healthy": healthy, "accuracy_train_transform": in_training,
                                  "accuracy_eval_transform": in_evaluation,
                                  "same_image_differs_by": round(largest, 2)}))
    sys.exit(0 if healthy else 1)
