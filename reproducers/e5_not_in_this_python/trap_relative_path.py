"""E5: sys.path.append("..") finds nothing if the script is started elsewhere.

`..` on the path is the folder above the working folder, not above the script. So it works from
tools/, and nowhere else.

Symptom: ModuleNotFoundError: No module named 'models'
Needs:   torch; cpu; about 3 s
Run:     python trap_relative_path.py; python fix_absolute_path.py
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

sys.path.append("..")
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
        program = runpy.run_path(script)  # BUG: `..` is above the working folder, which is another

    width = program["layer"].out_features
    healthy = width == 2
    print("OBSERVED", json.dumps({"healthy": healthy, "width": width}))
    sys.exit(0 if healthy else 1)
