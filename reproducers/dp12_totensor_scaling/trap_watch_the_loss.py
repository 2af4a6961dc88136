"""DP12: the first loss does not reveal a wrong scale if BatchNorm follows the first convolution.

BatchNorm divides by the standard deviation of the batch. It removes the factor of 255 again, so
only a network without it starts with a strange loss.

Symptom: with BatchNorm the first loss is the same for 0..1 and for 0..255
Needs:   torch; cpu; about 3 s
Run:     python trap_watch_the_loss.py
"""
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


def network(norm):
    return nn.Sequential(nn.Conv2d(3, 16, 3, bias=False), *norm, nn.ReLU(), nn.Conv2d(16, 16, 3),
                         nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10))


if __name__ == "__main__":
    images, labels = torch.rand(32, 3, 16, 16), torch.randint(0, 10, (32,))
    losses = []
    for norm in ([], [nn.BatchNorm2d(16)]):  # BUG: BatchNorm takes the scale out again
        model = network(norm)
        losses.append([round(nn.functional.cross_entropy(model(images * scale), labels).item(), 1)
                       for scale in (1, 255)])

    healthy = all(wrong > 1.5 * right for right, wrong in losses)  # the loss shows the fault
    print("OBSERVED", json.dumps({"healthy": healthy, "loss_by_network_and_scale": losses}))
    sys.exit(0 if healthy else 1)
