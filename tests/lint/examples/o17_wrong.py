import torch
from torch import nn

from models import build


def freeze(args):
    model = build(args)
    model.load_state_dict(torch.load(args.weights))
    model.requires_grad = False  # BUG
    prototypes = model.outc.conv.weight.view(4, -1)
    model.outc.requires_grad = False  # BUG
    model.encoder.requires_grad = False  # BUG
    for layer in model.transformer.layers[:8]:
        layer.requires_grad = False  # BUG
    for child in model.children():
        child.requires_grad = False  # BUG
    head = nn.Linear(4, 2)
    head.requires_grad = False  # BUG
    return model, head, prototypes
