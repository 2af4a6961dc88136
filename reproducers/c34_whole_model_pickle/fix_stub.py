"""C34: the code of the project is lost, and an empty class gives the weights.

The object holds the parameters, not its class. So a class of the right name without code
is enough to read the weights, but not to run the model.

Symptom: none: the outputs are the same
Needs:   torch; cpu; about 3 s
Run:     python fix_stub.py
"""
import importlib
import json
import os
import sys
import tempfile
import types

import torch

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
    torch.save(model, path)
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
        stub = types.ModuleType("nets")
        stub.Net = type("Net", (torch.nn.Module,), {"__module__": "nets"})
        sys.modules["nets"] = stub  # FIX: an empty class of the name that is missing
        state = torch.load(path, map_location="cpu", weights_only=False).state_dict()
        model = Net()
        model.load_state_dict(state)
        difference = (model(torch.ones(2, 4)) - expected).abs().max().item()

    healthy = difference == 0
    print("OBSERVED", json.dumps({"healthy": healthy, "difference": difference}))
    sys.exit(0 if healthy else 1)
