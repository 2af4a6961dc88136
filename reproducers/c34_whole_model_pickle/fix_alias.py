"""C34: the module has a different name now, and gets its old name for the load.

sys.modules["nets"] is looked up first, so the class is found under its old path. Here the module of
the script is used as the renamed module.

Symptom: none: the outputs are the same
Needs:   torch; cpu; about 3 s
Run:     python fix_alias.py
"""
import importlib
import json
import os
import sys
import tempfile

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
        new_module = sys.modules["__main__"]  # where the class is today
        sys.modules["nets"] = new_module  # FIX: the old name of the module, for this once
        loaded = torch.load(path, map_location="cpu", weights_only=False)
        del sys.modules["nets"]
        model = Net()
        model.load_state_dict(loaded.state_dict())
        difference = (model(torch.ones(2, 4)) - expected).abs().max().item()

    healthy = difference == 0
    print("OBSERVED", json.dumps({"healthy": healthy, "difference": difference}))
    sys.exit(0 if healthy else 1)
