"""O1: with a new batch in each step a correct program fails the check.

next(iter(loader)) creates a new iterator in each step, and with shuffle each iterator returns other
samples. The model never sees the same batch again.

Symptom: each step sees different samples, so the loss stays near its first value
Needs:   torch; cpu; about 3 s
Run:     python trap_new_batch_each_step.py; python fixed.py
"""
import json
import sys

import torch
from torch import nn

torch.set_num_threads(1)  # the tensors are too small for threads to help
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
dataset = torch.utils.data.TensorDataset(torch.randn(512, 8), torch.randint(3, (512,)))
loader = torch.utils.data.DataLoader(dataset, batch_size=16, shuffle=True)

if __name__ == "__main__":
    losses = []
    for _ in range(100):
        inputs, labels = next(iter(loader))  # BUG: take it once, before the loop
        loss = nn.functional.cross_entropy(model(inputs), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

    healthy = losses[-1] < 0.05 * losses[0]
    print("OBSERVED", json.dumps({"healthy": healthy, "loss_first": round(losses[0], 3),
                                  "loss_last": round(losses[-1], 3),
                                  "distinct_losses": len(set(losses))}))
    sys.exit(0 if healthy else 1)
