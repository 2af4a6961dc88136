"""M2: the bytes that a batch needs for backward(), measured for the longest batch before training.

saved_tensors_hooks sees every tensor that forward() keeps. The batch that needs most of them is the
one with the longest text. With the longest texts first, it is the first batch.

Symptom: none: batch 6 has the most tokens and needs 10 times the median
Needs:   torch; cpu, linux; about 4 s
Run:     python fix_bytes_by_batch.py
"""
import json
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader

num_samples, batch_size = 160, 16


def block():
    return nn.Sequential(nn.Linear(128, 512), nn.ReLU(), nn.Linear(512, 128))


def saved_mib(model, batch):
    """MiB that forward() keeps for backward(), weights not included."""
    saved, weights = {}, {weight.data_ptr() for weight in model.parameters()}
    def pack(tensor):
        saved[tensor.data_ptr()] = tensor  # FIX: each tensor once
        return tensor
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        model(batch).mean()
    return sum(t.numel() * t.element_size() for p, t in saved.items() if p not in weights) / 2**20


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    lengths = torch.randint(20, 51, (num_samples,)).tolist()
    lengths[100] = 500
    texts = [torch.randn(length, 128) for length in lengths]
    model = nn.Sequential(*[block() for _ in range(8)])
    longest_first = sorted(texts, key=len, reverse=True)
    mib, longest_first_mib = [[
        round(saved_mib(model, nn.utils.rnn.pad_sequence(batch, batch_first=True)))
        for batch in DataLoader(order, batch_size=batch_size, collate_fn=list)]
        for order in (texts, longest_first)]
    worst = mib.index(max(mib))

    healthy = (worst == 6 and mib[worst] > 8 * sorted(mib)[5] > 0
               and longest_first_mib[0] == max(longest_first_mib) == mib[worst])
    print("OBSERVED", json.dumps({"healthy": healthy, "worst_batch": worst,
                                  "mib": mib, "longest_first_mib": longest_first_mib}))
    sys.exit(0 if healthy else 1)
