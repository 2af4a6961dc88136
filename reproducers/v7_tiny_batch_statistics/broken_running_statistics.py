"""V7: with batches of 2 the eval output of BatchNorm jumps.

The running averages remember about ten batches of two values each. They are poor estimates and jump
with every batch.

Symptom: one model, one input, nothing trained: the eval output changes with every batch
Needs:   torch; cpu; about 2 s
Run:     python broken_running_statistics.py; python fix_cumulative_average.py
"""
import json
import sys

import torch
from torch import nn

torch.set_num_threads(1)  # the tensors are too small for threads to help
torch.manual_seed(0)
probe = torch.ones(1, 1)


def eval_outputs(batch_size):
    """The range of the eval output for the input 1 after each of the last 100 of 300 batches."""
    norm = nn.BatchNorm1d(1)  # BUG: with momentum 0.1, an average over some 10 batches
    outputs = []
    for step in range(300):
        norm.train()
        norm(torch.randn(batch_size, 1))
        norm.eval()
        if step >= 200:
            outputs.append(norm(probe).item())  # 1.0 with the true mean 0 and variance 1
    return [round(min(outputs), 2), round(max(outputs), 2)]


if __name__ == "__main__":
    tiny, large = eval_outputs(2), eval_outputs(64)

    healthy = tiny[1] - tiny[0] < 0.4
    print("OBSERVED", json.dumps({"healthy": healthy, "output_min_max_batches_of_2": tiny,
                                  "output_min_max_batches_of_64": large}))
    sys.exit(0 if healthy else 1)
