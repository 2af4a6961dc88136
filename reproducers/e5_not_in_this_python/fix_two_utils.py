"""E5: the folder of the other repository is last on the path, so your own utils is found.

The other repository then gets your utils too. If both are needed, one of them becomes a package
of its own name.

Symptom: none: the share is 1.0
Needs:   torch; cpu; about 3 s
Run:     python broken_two_utils.py; python fix_two_utils.py
"""
import json
import os
import sys
import tempfile

files = {
    "project/utils.py": """
def accuracy(output, target):
    return float((output.argmax(1) == target).float().mean())
""",
    "detector/utils.py": "boxes = []\n",
}


def write_files(folder):
    for path, text in files.items():
        os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
        with open(os.path.join(folder, path), "w") as file:
            file.write(text)


if __name__ == "__main__":
    import torch

    with tempfile.TemporaryDirectory() as folder:
        write_files(folder)
        sys.path[0] = os.path.join(folder, "project")
        sys.path.append(os.path.join(folder, "detector"))  # FIX: after the project itself
        from utils import accuracy

    share = accuracy(torch.eye(2), torch.tensor([0, 1]))
    healthy = share == 1
    print("OBSERVED", json.dumps({"healthy": healthy, "share": share}))
    sys.exit(0 if healthy else 1)
