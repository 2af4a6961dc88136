"""E5: a cloned repository in the working folder is taken for the package.

The package is in pairnet/src. It is not installed, so Python takes the folder pairnet itself, which
has no __init__.py, for an empty package.

Symptom: ImportError: cannot import name 'Net' from 'pairnet' (unknown location)
Needs:   torch; cpu; about 3 s
Run:     python broken_clone.py; python fix_clone.py
"""
import json
import os
import sys
import tempfile

files = {
    "pairnet/README.md": "pip install -e .\n",
    "pairnet/src/pairnet/__init__.py": "import torch\n\nNet = torch.nn.Linear\n",
}


def write_files(folder):
    for path, text in files.items():
        os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
        with open(os.path.join(folder, path), "w") as file:
            file.write(text)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        write_files(folder)
        sys.path[0] = folder  # BUG: pairnet is cloned here, and not installed
        from pairnet import Net

    width = Net(4, 2).out_features
    healthy = width == 2
    print("OBSERVED", json.dumps({"healthy": healthy, "width": width}))
    sys.exit(0 if healthy else 1)
