"""E5: the Python for which the package was installed finds it.

`python -m pip install` installs for exactly the Python that the same command runs.

Symptom: none: found is true
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
        python = os.path.join(first, "bin", "python")  # FIX: the one for which pip installed
        done = subprocess.run([python, "-c", question], check=True, stdout=subprocess.PIPE)

    found = done.stdout.decode().strip() == "True"
    healthy = found
    print("OBSERVED", json.dumps({"healthy": healthy, "found": found}))
    sys.exit(0 if healthy else 1)
