"""C34: the file is read once with the project on the path, and saved as a state_dict.

With the folder of the project on the path, the module is found. The new file no longer needs it.

Symptom: none: the outputs are the same
Needs:   torch; cpu; about 3 s
Run:     python fix_convert.py
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
        sys.path.insert(0, folder)  # FIX: the folder of the project, for this once
        loaded = torch.load(path, map_location="cpu", weights_only=False)
        torch.save(loaded.state_dict(), path)
        sys.path.remove(folder)
        del sys.modules["nets"]
        model = Net()
        model.load_state_dict(torch.load(path))
        difference = (model(torch.ones(2, 4)) - expected).abs().max().item()

    healthy = difference == 0
    print("OBSERVED", json.dumps({"healthy": healthy, "difference": difference}))
    sys.exit(0 if healthy else 1)
