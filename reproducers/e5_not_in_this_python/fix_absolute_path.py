"""E5: the path is computed from the place of the script, so every working folder does.

`__file__` is the script itself. `insert(0, …)` comes before an installed package of this name.

Symptom: none: the layer is made
Needs:   torch; cpu; about 3 s
Run:     python fix_absolute_path.py; python trap_relative_path.py
"""
import json
import os
import runpy
import sys
import tempfile

files = {
    "models.py": "import torch\n\nNet = torch.nn.Linear\n",
    "tools/train.py": """
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from models import Net

layer = Net(4, 2)
""",
}


def write_files(folder):
    for path, text in files.items():
        os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
        with open(os.path.join(folder, path), "w") as file:
            file.write(text)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as repository:
        write_files(repository)
        script = os.path.join(repository, "tools", "train.py")
        sys.path[0] = os.path.dirname(script)
        program = runpy.run_path(script)  # FIX: its path follows from __file__

    width = program["layer"].out_features
    healthy = width == 2
    print("OBSERVED", json.dumps({"healthy": healthy, "width": width}))
    sys.exit(0 if healthy else 1)
