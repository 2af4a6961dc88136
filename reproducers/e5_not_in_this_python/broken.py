"""E5: a script in tools/ does not find a module in the folder above.

`python tools/train.py` puts the folder of the script on the path, not the one where you
started it. Here the two lines do what Python does with that command.

Symptom: ModuleNotFoundError: No module named 'models'
Needs:   torch; cpu; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import os
import runpy
import sys
import tempfile

files = {
    "models.py": "import torch\n\nNet = torch.nn.Linear\n",
    "tools/train.py": "from models import Net\n\nlayer = Net(4, 2)\n",
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
        sys.path[0] = os.path.dirname(script)  # BUG: `python tools/train.py`
        program = runpy.run_path(script)

    width = program["layer"].out_features
    healthy = width == 2
    print("OBSERVED", json.dumps({"healthy": healthy, "width": width}))
    sys.exit(0 if healthy else 1)
