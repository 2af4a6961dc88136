"""S11: squeeze() without a dimension also removes the batch dimension of a last batch of one.

The predictions are (N, 1), and squeeze() makes them (N,), as it should. For the last batch, of one
sample, the result is a number without dimensions. Anything that loops over the batch fails.

Symptom: TypeError: iteration over a 0-d tensor, in the last batch only
Needs:   torch; cpu; about 2 s
Run:     python trap_squeeze.py
"""
import json
import sys

import torch

inputs = torch.linspace(-1, 1, 33).reshape(-1, 1)
model = torch.nn.Linear(1, 1)


def predict(loader):
    predictions = []
    for (x,) in loader:
        predictions.extend(model(x).detach().squeeze())  # BUG: the batch dimension goes as well
    return predictions


if __name__ == "__main__":
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(inputs), batch_size=8)
    predictions = predict(loader)

    healthy = len(predictions) == len(inputs)
    print("OBSERVED", json.dumps({"healthy": healthy, "predictions": len(predictions)}))
    sys.exit(0 if healthy else 1)
