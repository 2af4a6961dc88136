"""V2: predictions in shuffled order are compared with labels in the order of the dataset.

The loop ignores the labels of the loader. Each prediction is right, and stands at the position of
another sample.

Symptom: no error: the accuracy of a good model is near 0.5 with 2 classes
Needs:   torch; cpu; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
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

    test_loader = DataLoader(dataset, batch_size=64, shuffle=True)  # BUG: not the order of labels
    model.eval()
    outputs = []
    with torch.no_grad():
        for x, _ in test_loader:
            outputs.append(model(x).argmax(1))
    predictions = torch.cat(outputs)

    accuracy = (predictions == labels).float().mean().item()
    healthy = accuracy > 0.9
    print("OBSERVED", json.dumps({"healthy": healthy, "accuracy": round(accuracy, 2)}))
    sys.exit(0 if healthy else 1)
