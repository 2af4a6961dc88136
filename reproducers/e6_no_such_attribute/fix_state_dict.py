"""E6: the model is built, and the weights of the file are loaded into it.

load_state_dict copies the tensors of the dict into the layers of the same names.

Symptom: none
Needs:   torch; cpu; about 3 s
Run:     python fix_state_dict.py
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

    model = nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.5))
    model.load_state_dict(torch.load(file))  # FIX: weights into a model
    model.eval()

    x = torch.randn(5, 3)
    healthy = torch.equal(model(x), trained.eval()(x))
    print("OBSERVED", json.dumps({"healthy": healthy, "type": type(model).__name__}))
    sys.exit(0 if healthy else 1)
