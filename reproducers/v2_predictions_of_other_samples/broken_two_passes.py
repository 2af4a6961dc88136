"""V2: predictions and labels are collected in two passes over a loader that shuffles.

Each pass draws a new order.

Symptom: no error: the accuracy of a good model is near that of guessing
Needs:   torch; cpu; about 3 s
Run:     python broken_two_passes.py; python fix_one_pass.py
"""
import json
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)


if __name__ == "__main__":
    torch.manual_seed(0)
    labels = torch.randint(2, (500,))
    inputs = torch.randn(500, 8) + 4 * labels[:, None] - 2
    dataset = TensorDataset(inputs, labels)
    model = nn.Linear(8, 2)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for epoch in range(3):
        for x, y in DataLoader(dataset, batch_size=20, shuffle=True):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()

    test_loader = DataLoader(dataset, batch_size=64, shuffle=True)
    model.eval()
    with torch.no_grad():
        predictions = torch.cat([model(x).argmax(1) for x, _ in test_loader])
    labels = torch.cat([y for _, y in test_loader])  # BUG: the second pass has another order

    accuracy = (predictions == labels).float().mean().item()
    healthy = accuracy > 0.9
    print("OBSERVED", json.dumps({"healthy": healthy, "accuracy": round(accuracy, 2)}))
    sys.exit(0 if healthy else 1)
