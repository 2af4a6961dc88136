"""E5: the package is installed in one environment, and another Python runs.

`pip` and `python` may be of two environments: a notebook kernel, sudo, a launcher or a job script
chooses its own. Each environment has its own packages.

Symptom: none here: the Python that runs finds no pairnet
Needs:   torch; cpu, linux; about 5 s
Run:     python broken_other_python.py; python fix_same_python.py
"""
import json
import os
import subprocess
import sys
import tempfile
import venv

question = "import importlib.util, sys; print(bool(importlib.util.find_spec('pairnet')))"


def install(folder):
    """Puts a package into an environment, as its pip does."""
    version = "python{}.{}".format(*sys.version_info)
    with open(os.path.join(folder, "lib", version, "site-packages", "pairnet.py"), "w") as file:
        file.write("import torch\n")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        first, second = os.path.join(folder, "first"), os.path.join(folder, "second")
        venv.create(first)
        venv.create(second)
        install(first)
        python = os.path.join(second, "bin", "python")  # BUG: pip belongs to the first one
        done = subprocess.run([python, "-c", question], check=True, stdout=subprocess.PIPE)

    found = done.stdout.decode().strip() == "True"
    healthy = found
    print("OBSERVED", json.dumps({"healthy": healthy, "found": found}))
    sys.exit(0 if healthy else 1)
