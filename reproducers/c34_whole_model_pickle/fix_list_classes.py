"""C34: the check: which modules and classes the file needs, without loading it.

The names of the classes are in the pickle. pickletools reads them and runs nothing.

Symptom: none: it prints nets.Net among others
Needs:   torch; cpu; about 3 s
Run:     python fix_list_classes.py
"""
import importlib
import json
import os
import pickletools
import sys
import tempfile
import zipfile

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


def classes_in(path):
    """The classes and functions that torch.load() would import, by module."""
    with zipfile.ZipFile(path) as file:
        name = next(name for name in file.namelist() if name.endswith("data.pkl"))
        operations = pickletools.genops(file.read(name))
        return sorted({arg.replace(" ", ".") for op, arg, _ in operations if op.name == "GLOBAL"})


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


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.pt")
        output = train_in_project(folder, path)
        names = classes_in(path)  # FIX: look before you load
    libraries = ("torch.", "collections.", "__builtin__.")
    own = [name for name in names if not name.startswith(libraries)]
    print("\n".join(own))

    healthy = "nets.Net" in own and "torch.nn.modules.linear.Linear" in names
    healthy = healthy and output.shape == (2, 1)
    print("OBSERVED", json.dumps({"healthy": healthy, "of_the_project": own.count("nets.Net"),
                                  "names": len(names)}))
    sys.exit(0 if healthy else 1)
