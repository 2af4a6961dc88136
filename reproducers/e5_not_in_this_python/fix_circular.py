"""E5: the import that closes the circle is inside of the function that needs it.

When loss_of is called, both files are finished. A third file for what both need does the same.

Symptom: none: the loss is computed
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


def loss_of(model, x):
    from model import Net

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
        from model import Net  # FIX: losses.py imports model.py when it runs

    healthy = Net(4, 2).loss([[1.0] * 4]) >= 0
    print("OBSERVED", json.dumps({"healthy": healthy, "name": Net.__name__}))
    sys.exit(0 if healthy else 1)
