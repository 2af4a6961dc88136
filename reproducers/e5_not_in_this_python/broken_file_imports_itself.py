"""E5: a script with the name of a library imports itself, half finished.

`import pairnet` runs this pairnet.py once more, and there the same line gets the file that has
just begun.

Symptom: AttributeError: partially initialized module 'pairnet' has no attribute 'Net'
Needs:   torch; cpu; about 3 s
Run:     python broken_file_imports_itself.py; python fix_file_name.py
"""
import json
import os
import runpy
import sys
import tempfile

files = {
    "installed/pairnet/__init__.py": "from pairnet.layers import Net\n",
    "installed/pairnet/layers.py": "import torch\n\nNet = torch.nn.Linear\n",
    "project/program": "import pairnet\n\nlayer = pairnet.Net(4, 2)\n",
}


def write_files(folder):
    for path, text in files.items():
        os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
        with open(os.path.join(folder, path), "w") as file:
            file.write(text)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        write_files(folder)
        project = os.path.join(folder, "project")
        script = os.path.join(project, "pairnet.py")  # BUG: also the name of a library
        os.rename(os.path.join(project, "program"), script)
        sys.path[:1] = [project, os.path.join(folder, "installed")]
        result = runpy.run_path(script)

    width = result["layer"].out_features
    healthy = width == 2
    print("OBSERVED", json.dumps({"healthy": healthy, "width": width}))
    sys.exit(0 if healthy else 1)
