"""E5: PYTHONPATH names the repository, and a script in tools/ finds its modules.

Every process that inherits the variable looks there too, so the workers of a launcher do.

Symptom: none: the script prints the width of the layer
Needs:   torch; cpu; about 5 s
Run:     python fix_python_path.py; python broken.py
"""
import json
import os
import subprocess
import sys
import tempfile

files = {
    "models.py": "import torch\n\nNet = torch.nn.Linear\n",
    "tools/train.py": "from models import Net\n\nprint(Net(4, 2).out_features)\n",
}


def write_files(folder):
    for path, text in files.items():
        os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
        with open(os.path.join(folder, path), "w") as file:
            file.write(text)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as repository:
        write_files(repository)
        done = subprocess.run(
            [sys.executable, "tools/train.py"], cwd=repository, check=True, stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": repository})  # FIX: for this process and its children

    width = int(done.stdout)
    healthy = width == 2
    print("OBSERVED", json.dumps({"healthy": healthy, "width": width}))
    sys.exit(0 if healthy else 1)
