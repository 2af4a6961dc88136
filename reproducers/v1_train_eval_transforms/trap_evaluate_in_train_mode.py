"""V1: BatchNorm in training mode hides the missing Normalize.

In training mode BatchNorm normalises by the batch, which replaces the missing Normalize as long as
a batch holds both classes.

Symptom: without model.eval() accuracy is 1.0 on mixed batches only
Needs:   torch; cpu; about 3 s
Run:     python trap_evaluate_in_train_mode.py; python fixed.py
"""
import json
import sys

import torch
from torch import nn

torch.set_num_threads(1)  # the tensors are too small for threads to help
torch.manual_seed(0)
labels = torch.arange(128) % 2  # dark and bright images, uint8
images = (torch.randn(128, 1, 8, 8) * 20 + 90 + 50 * labels.view(-1, 1, 1, 1)).byte()
model = nn.Sequential(nn.BatchNorm2d(1), nn.Flatten(), nn.Linear(64, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)


def train_transform(image):
    return (image.float() / 255 - 0.45) / 0.13


def eval_transform(image):
    return image.float() / 255  # the real fault


def accuracy(transform, parts=(slice(None),)):
    """Accuracy over the set, through the model part by part."""
    right = [model(transform(images[part])).argmax(1) == labels[part] for part in parts]
    return torch.cat(right).float().mean().item()


if __name__ == "__main__":
    for _ in range(50):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(train_transform(images)), labels).backward()
        optimizer.step()

    by_class = [labels == 0, labels == 1]
    model.eval()
    in_training, in_evaluation = accuracy(train_transform), accuracy(eval_transform)
    model.train()  # BUG: BatchNorm normalises by the batch, which hides the fault
    mixed, sorted_by_class = accuracy(eval_transform), accuracy(eval_transform, by_class)
    healthy = in_training > 0.95 and mixed > 0.95 and sorted_by_class > 0.95
    print("OBSERVED", json.dumps({"healthy": healthy, "accuracy_train_transform": in_training,
                                  "accuracy_eval_transform": in_evaluation,
                                  "train_mode_mixed_batch": mixed,
                                  "train_mode_one_class_per_batch": sorted_by_class}))
    sys.exit(0 if healthy else 1)
