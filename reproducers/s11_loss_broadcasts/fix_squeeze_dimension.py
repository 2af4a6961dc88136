"""S11: squeeze(1) keeps the batch dimension.

It removes the second dimension only, so the last batch, of one sample, keeps its shape (1,).

Symptom: none: there is a prediction for each sample
Needs:   torch; cpu; about 2 s
Run:     python fix_squeeze_dimension.py
"""
import json
import sys

import torch

inputs = torch.linspace(-1, 1, 33).reshape(-1, 1)
model = torch.nn.Linear(1, 1)


def predict(loader):
    predictions = []
    for (x,) in loader:
        predictions.extend(model(x).detach().squeeze(1))  # FIX: the batch dimension stays
    return predictions


if __name__ == "__main__":
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(inputs), batch_size=8)
    predictions = predict(loader)

    healthy = len(predictions) == len(inputs)
    print("OBSERVED", json.dumps({"healthy": healthy, "predictions": len(predictions)}))
    sys.exit(0 if healthy else 1)
