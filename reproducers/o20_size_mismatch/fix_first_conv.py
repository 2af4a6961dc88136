"""O20: a first convolution with a channel of zeros loads into a model with more channels.

The first convolution of the checkpoint gets channels of zeros until it has the shape of the
model's. At first the new channels do not change the features.

Symptom: none: the features are those of the model with 3 channels
Needs:   torch; cpu; about 2 s
Run:     python fix_first_conv.py
"""
import json
import sys

import torch
from torch import nn


def build(channels):
    return nn.Sequential(nn.Conv2d(channels, 8, 3), nn.ReLU())


def add_channels(weight, channels):
    """(out, old, h, w) -> (out, channels, h, w); the new channels count for nothing at first."""
    more = weight.new_zeros(weight.shape[0], channels - weight.shape[1], *weight.shape[2:])
    return torch.cat([weight, more], dim=1)


if __name__ == "__main__":
    torch.manual_seed(0)
    trained, model = build(3), build(4)
    checkpoint = trained.state_dict()
    checkpoint["0.weight"] = add_channels(checkpoint["0.weight"], 4)  # FIX: before loading
    model.load_state_dict(checkpoint)

    images = torch.randn(2, 4, 8, 8)
    difference = (model(images) - trained(images[:, :3])).abs().max().item()
    healthy = difference < 1e-5
    print("OBSERVED", json.dumps({"healthy": healthy,
                                  "features_differ_by": round(difference, 4)}))
    sys.exit(0 if healthy else 1)
