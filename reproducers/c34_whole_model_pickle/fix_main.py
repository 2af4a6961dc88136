"""C34: the class is imported into the script that loads.

Then __main__.Net exists in it as well. Here the class gets its name back.

Symptom: none: the outputs are the same
Needs:   torch; cpu; about 3 s
Run:     python fix_main.py
"""
import inspect
import json
import os
import sys
import tempfile

import torch

# From torch 2.6 on, torch.load() takes whole objects only with this; before 1.13 it is unknown.
known = "weights_only" in inspect.signature(torch.load).parameters
whole = {"weights_only": False} if known else {}


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(4, 1)

    def forward(self, x):
        return self.fc(x)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.pt")
        trained = Net()
        torch.save(trained, path)
        train_module = {"Net": Net}  # stands for the module train.py
        del Net  # another script, which does not define the class
        Net = train_module["Net"]  # FIX: from train import Net
        model = torch.load(path, **whole)
        difference = (model(torch.ones(2, 4)) - trained(torch.ones(2, 4))).abs().max().item()

    healthy = difference == 0
    print("OBSERVED", json.dumps({"healthy": healthy, "difference": difference}))
    sys.exit(0 if healthy else 1)
