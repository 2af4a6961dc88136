"""C34: the file holds the state_dict, which needs no class of the project.

A state_dict has names and tensors only. The script that loads has its own copy of the class.

Symptom: none: the outputs are the same
Needs:   torch; cpu; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import importlib
import inspect
import json
import os
import sys
import tempfile

import torch

# From torch 2.6 on, torch.load() takes whole objects only with this; before 1.13 it is unknown.
known = "weights_only" in inspect.signature(torch.load).parameters
whole = {"weights_only": False} if known else {}
nets_py = """
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(4, 1)

    def forward(self, x):
        return self.fc(x)
"""


def train_in_project(folder, path):
    """What another program does: its class Net is in the module nets. Returns an output."""
    with open(os.path.join(folder, "nets.py"), "w") as file:
        file.write(nets_py)
    sys.path.insert(0, folder)
    model = importlib.import_module("nets").Net()
    torch.save(model.state_dict(), path)  # FIX: names and tensors only
    sys.path.remove(folder)
    del sys.modules["nets"]  # the end of that program
    return model(torch.ones(2, 4))


class Net(torch.nn.Module):
    """The same model, in the script that loads."""

    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(4, 1)

    def forward(self, x):
        return self.fc(x)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.pt")
        expected = train_in_project(folder, path)
        model = Net()
        model.load_state_dict(torch.load(path, **whole))  # FIX: into a class that is here
        difference = (model(torch.ones(2, 4)) - expected).abs().max().item()

    healthy = difference == 0
    print("OBSERVED", json.dumps({"healthy": healthy, "difference": difference}))
    sys.exit(0 if healthy else 1)
