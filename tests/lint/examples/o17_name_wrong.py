import torch


def freeze(model: torch.nn.Module):
    for parameter in model.parameters():
        parameter.require_grad = False  # BUG
    for parameter in model.head.parameters():
        parameter.requires_grads = True  # BUG
