"""E5: two files import each other, and one of them is not finished.

model.py imports losses.py in its first lines. That one asks for Net of model.py, which comes later.

Symptom: ImportError: cannot import name 'Net' from partially initialized module 'model'
Needs:   torch; cpu; about 3 s
Run:     python broken_circular.py; python fix_circular.py
"""
import json
import os
import sys
import tempfile

files = {
    "model.py": """
import torch
from losses import loss_of


class Net(torch.nn.Linear):
    def loss(self, x):
        return loss_of(self, x)
""",
    "losses.py": """
import torch
from model import Net


def loss_of(model, x):
    assert isinstance(model, Net)
    return float(model(torch.tensor(x)).pow(2).mean())
""",
}


def write_files(folder):
    for path, text in files.items():
        os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
        with open(os.path.join(folder, path), "w") as file:
            file.write(text)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        write_files(folder)
        sys.path[0] = folder
        from model import Net  # BUG: losses.py imports model.py too

    healthy = Net(4, 2).loss([[1.0] * 4]) >= 0
    print("OBSERVED", json.dumps({"healthy": healthy, "name": Net.__name__}))
    sys.exit(0 if healthy else 1)
