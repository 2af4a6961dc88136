"""V1: evaluation normalises each batch by its own statistics.

With the statistics of its own batch, the values of an image depend on the other images in it. A
batch of a single class loses the difference between the classes.

Symptom: accuracy 1.0 on a mixed batch, at chance with one class per batch
Needs:   torch; cpu; about 3 s
Run:     python broken_own_statistics.py; python fixed.py
"""
import json
import sys

import torch
from torch import nn

torch.set_num_threads(1)  # the tensors are too small for threads to help
torch.manual_seed(0)
labels = torch.arange(128) % 2  # dark and bright images, uint8
images = (torch.randn(128, 1, 8, 8) * 20 + 90 + 50 * labels.view(-1, 1, 1, 1)).byte()
model = nn.Sequential(nn.Flatten(), nn.Linear(64, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)


def train_transform(image):
    return (image.float() / 255 - 0.45) / 0.13


def eval_transform(image):
    x = image.float() / 255
    return (x - x.mean()) / x.std()  # BUG: each image depends on its neighbours


def accuracy(transform, parts=(slice(None),)):
    """Accuracy over the set, through the transform part by part."""
    right = [model(transform(images[part])).argmax(1) == labels[part] for part in parts]
    return torch.cat(right).float().mean().item()


if __name__ == "__main__":
    for _ in range(50):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(train_transform(images)), labels).backward()
        optimizer.step()

    by_class = [labels == 0, labels == 1]  # as in a folder that is read class by class
    in_training = accuracy(train_transform, by_class)
    mixed, in_evaluation = accuracy(eval_transform), accuracy(eval_transform, by_class)
    healthy = in_training > 0.95 and in_evaluation > 0.95
    print("OBSERVED", json.dumps({"healthy": healthy, "accuracy_train_transform": in_training,
                                  "accuracy_eval_transform": in_evaluation,
                                  "accuracy_eval_transform_mixed_batch": mixed}))
    sys.exit(0 if healthy else 1)
