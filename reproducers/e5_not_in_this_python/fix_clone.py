"""E5: with the package itself on the path, the clone beside the script does no harm.

`pip install -e pairnet` puts pairnet/src on the path; here it is put there by hand. A package with
an __init__.py comes before a folder without one, wherever the two are on the path.

Symptom: none: the layer is made
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
        sys.path[:1] = [folder, os.path.join(folder, "pairnet", "src")]  # FIX: as installed
        from pairnet import Net

    width = Net(4, 2).out_features
    healthy = width == 2
    print("OBSERVED", json.dumps({"healthy": healthy, "width": width}))
    sys.exit(0 if healthy else 1)
