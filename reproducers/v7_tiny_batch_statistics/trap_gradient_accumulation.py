"""V7: gradient accumulation does not enlarge the batch of BatchNorm.

Accumulation adds up gradients. Each forward pass still sees two samples, and so does BatchNorm.

Symptom: gradients added up over 16 batches of 2: the outputs of BatchNorm are still -1 and +1
Needs:   torch; cpu; about 3 s
Run:     python trap_gradient_accumulation.py; python fixed.py
"""
import json
import sys

import torch
from torch import nn

batch_size = 2
torch.set_num_threads(1)  # the tensors are too small for threads to help
torch.manual_seed(0)
model = nn.Sequential(
    nn.Linear(2, 16),
    nn.BatchNorm1d(16),
    nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
inputs = torch.randn(1024, 2)
labels = (inputs.norm(dim=1) > 1.18).long()  # inside or outside of a circle, half and half


def accuracy():
    return round((model(inputs).argmax(1) == labels).float().mean().item(), 2)


if __name__ == "__main__":
    pairs = inputs[:100].view(50, batch_size, 2)
    normalised = torch.stack([model[1](model[0](pair)) for pair in pairs]).abs()
    at_one = round(((normalised - 1).abs() < 0.05).float().mean().item(), 2)

    for start in range(0, len(inputs), batch_size):
        x, y = inputs[start:start + batch_size], labels[start:start + batch_size]
        (nn.functional.cross_entropy(model(x), y) / 16).backward()
        if (start // batch_size + 1) % 16 == 0:
            optimizer.step()  # BUG: joins the gradients of 32 samples, not their statistics
            optimizer.zero_grad()

    model.eval()
    right = accuracy()
    healthy = right > 0.75
    print("OBSERVED", json.dumps({"healthy": healthy, "accuracy_in_eval_mode": right,
                                  "share_of_norm_outputs_at_plus_minus_1": at_one}))
    sys.exit(0 if healthy else 1)
