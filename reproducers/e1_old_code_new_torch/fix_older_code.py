"""E1: what to write in place of code for a much older torch.

Each line marked FIX works on torch 1.8 and on the newest one.

Symptom: none: the results that the old code gave
Needs:   torch, numpy; cpu; about 2 s
Run:     python fix_older_code.py
"""
import json
import sys

import numpy as np
import torch
from torch import nn


class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, inputs):  # FIX: static, with ctx in place of self
        return inputs.view_as(inputs)

    @staticmethod
    def backward(ctx, gradient):
        return -gradient


if __name__ == "__main__":
    loss = nn.functional.mse_loss(torch.ones(2), torch.zeros(2))
    total = loss.item()  # FIX: not loss.data[0]

    gain = torch.tensor([8.0, 8.0])
    cells = torch.tensor([3, 9])
    cells.clamp_(0, int(gain[0]) - 1)  # FIX: the limit is an integer

    model = nn.Sequential(nn.Upsample(scale_factor=2))
    vars(model[0]).pop("recompute_scale_factor", None)
    for module in model.modules():
        if isinstance(module, nn.Upsample):
            module.recompute_scale_factor = None  # FIX: what a newer layer has
    outputs = model(torch.ones(1, 1, 2, 2))

    weight = torch.ones(2, requires_grad=True)
    Reverse.apply(weight).sum().backward()  # FIX: apply() on the class

    scores = torch.arange(12).view(4, 3)
    query = scores.flatten().topk(2).indices // 3  # FIX: // rounds down
    boxes = torch.from_numpy(np.ones(4, dtype=np.float64))  # FIX: not np.float

    healthy = (total == 1 and cells.tolist() == [3, 7] and outputs.shape == (1, 1, 4, 4)
               and weight.grad.tolist() == [-1, -1] and scores[query][:, 0].tolist() == [9, 9]
               and boxes.dtype == torch.float64)
    print("OBSERVED", json.dumps({"healthy": healthy, "total": total, "cells": cells.tolist(),
                                  "gradient": weight.grad.tolist(), "queries": query.tolist()}))
    sys.exit(0 if healthy else 1)
