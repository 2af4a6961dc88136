"""O1: labels that belong to other inputs pass the check.

16 samples can be memorised with any labels. The check says nothing about whether the labels belong
to the inputs.

Symptom: the loss of one batch falls to nearly zero; accuracy on new data is that of guessing
Needs:   torch; cpu; about 3 s
Run:     python trap_wrong_labels_pass.py; python fixed.py
"""
import json
import sys

import torch
from torch import nn

torch.set_num_threads(1)  # the tensors are too small for threads to help
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
data = torch.randn(512, 8)
truth = data[:, :3].argmax(1)
labels_on_disk = truth.roll(1)  # BUG: one line off, as after a sort or a dropped header
inputs, labels = data[:16], labels_on_disk[:16]

if __name__ == "__main__":
    losses = []
    for _ in range(100):
        loss = nn.functional.cross_entropy(model(inputs), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

    passed = losses[-1] < 0.05 * losses[0]
    for _ in range(100):  # now train properly, on 256 samples
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(data[:256]), labels_on_disk[:256]).backward()
        optimizer.step()
    accuracy = (model(data[256:]).argmax(1) == truth[256:]).float().mean().item()
    healthy = passed and accuracy > 0.8
    print("OBSERVED", json.dumps({"healthy": healthy, "loss_first": round(losses[0], 3),
                                  "loss_last": round(losses[-1], 3),
                                  "check_passed": passed,
                                  "accuracy_on_new_data": round(accuracy, 2)}))
    sys.exit(0 if healthy else 1)
