"""C33: the model is built with the settings that are saved in the file.

The names in a state_dict follow from the code and the settings of the model. The file has both.

Symptom: none: the outputs are those of the trained model
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import io
import json
import sys

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, depth=2, norm="layer"):
        super().__init__()
        self.blocks = nn.ModuleList([nn.Linear(8, 8) for _ in range(depth)])
        if norm == "layer":
            self.ln = nn.LayerNorm(8)
        else:
            self.bn = nn.BatchNorm1d(8)
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        for block in self.blocks:
            x = torch.relu(block(x))
        return self.head(self.ln(x) if hasattr(self, "ln") else self.bn(x))


if __name__ == "__main__":
    torch.manual_seed(0)
    config = {"depth": 3, "norm": "batch"}
    trained = Net(**config).eval()
    file = io.BytesIO()
    torch.save({"config": config, "model": trained.state_dict()}, file)
    file.seek(0)

    checkpoint = torch.load(file)
    model = Net(**checkpoint["config"])  # FIX: the settings of the file
    model.load_state_dict(checkpoint["model"])
    x = torch.randn(4, 8)
    difference = (model.eval()(x) - trained(x)).abs().max().item()

    healthy = difference == 0 and len(model.state_dict()) == 13
    print("OBSERVED", json.dumps({"healthy": healthy, "tensors": len(model.state_dict()),
                                  "difference": round(difference, 3)}))
    sys.exit(0 if healthy else 1)
