"""O1: with a correct loop the loss of one batch of 16 samples falls to nearly zero.

zero_grad() comes before backward(), so the step sees the gradients of this batch. A working program
can memorise 16 fixed samples, whatever their labels are.

Symptom: none: 100 steps on one batch bring the loss below 5 % of its first value
Needs:   torch; cpu; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch import nn

torch.set_num_threads(1)  # the tensors are too small for threads to help
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 3))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
dataset = torch.utils.data.TensorDataset(torch.randn(512, 8), torch.randint(3, (512,)))
loader = torch.utils.data.DataLoader(dataset, batch_size=32)

if __name__ == "__main__":
    losses = []
    inputs, labels = next(iter(loader))  # once, before the loop
    inputs, labels = inputs[:16], labels[:16]
    for step in range(100):
        loss = criterion(model(inputs), labels)
        optimizer.zero_grad()  # FIX: before backward(), not between backward() and step()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

    healthy = losses[-1] < 0.05 * losses[0]
    print("OBSERVED", json.dumps({"healthy": healthy, "loss_first": round(losses[0], 3),
                                  "loss_last": round(losses[-1], 3),
                                  "distinct_losses": len(set(losses))}))
    sys.exit(0 if healthy else 1)
