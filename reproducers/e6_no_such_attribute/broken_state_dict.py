"""E6: a file of weights is used as if it were the model.

state_dict() is a dict from names to tensors. torch.load returns what was saved, here that dict.

Symptom: AttributeError: 'collections.OrderedDict' object has no attribute 'eval'
Needs:   torch; cpu; about 3 s
Run:     python broken_state_dict.py
"""
import io
import json
import sys

import torch
from torch import nn

torch.manual_seed(0)


if __name__ == "__main__":
    trained = nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.5))
    file = io.BytesIO()
    torch.save(trained.state_dict(), file)
    file.seek(0)

    model = torch.load(file)  # BUG: the weights, not the model
    model.eval()

    x = torch.randn(5, 3)
    healthy = torch.equal(model(x), trained.eval()(x))
    print("OBSERVED", json.dumps({"healthy": healthy, "type": type(model).__name__}))
    sys.exit(0 if healthy else 1)
