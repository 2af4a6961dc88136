"""C33: strict=False loads what has the same name, and the rest stays random.

The error is gone. The third block of the file is left out, and the LayerNorm is new.

Symptom: no error, and other outputs than those of the trained model
Needs:   torch; cpu; about 2 s
Run:     python trap_strict_false.py
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
    model = Net()  # BUG: still the settings of today
    report = model.load_state_dict(checkpoint["model"], strict=False)
    x = torch.randn(4, 8)
    difference = (model.eval()(x) - trained(x)).abs().max().item()

    healthy = difference == 0 and len(model.state_dict()) == 13
    print("OBSERVED", json.dumps({"healthy": healthy, "missing": len(report.missing_keys),
                                  "unexpected": len(report.unexpected_keys),
                                  "difference": round(difference, 3)}))
    sys.exit(0 if healthy else 1)
