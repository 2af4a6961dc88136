"""V7: update_bn computes the statistics again after training.

update_bn runs the training data through the model and averages the statistics over all batches,
with the weights of this checkpoint.

Symptom: none: the eval output agrees between checkpoints, although each was taken from batches of 2
Needs:   torch; cpu; about 3 s
Run:     python fix_update_bn.py
"""
import json
import sys

import torch
from torch import nn
from torch.optim.swa_utils import update_bn

torch.set_num_threads(1)  # the tensors are too small for threads to help
torch.manual_seed(0)
model = nn.Sequential(nn.BatchNorm1d(1))
probe = torch.ones(1, 1)
loader = [torch.randn(2, 1) for _ in range(300)]  # batches of 2 from N(0, 1)

if __name__ == "__main__":
    before, after = [], []
    for batch in loader:
        model.train()
        model(batch)
        model.eval()
        before.append(model(probe).item())  # 1.0 with the true mean 0 and variance 1
        if len(before) % 100 == 0:  # a checkpoint
            saved = {name: value.clone() for name, value in model.state_dict().items()}
            model.train()
            update_bn(loader, model)  # FIX: the average over all batches, with these weights
            model.eval()
            after.append(round(model(probe).item(), 2))
            model.load_state_dict(saved)

    noisy = [round(min(before[200:]), 2), round(max(before[200:]), 2)]
    healthy = max(after) - min(after) < 0.1 and abs(after[0] - 1) < 0.1
    print("OBSERVED", json.dumps({"healthy": healthy, "output_min_max_before": noisy,
                                  "output_at_3_checkpoints_after": after}))
    sys.exit(0 if healthy else 1)
