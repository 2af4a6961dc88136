"""E2: the extension of the same repository has the arguments that the code passes.

Install the extension from the folder of this repository, in an environment of its own. Here a file
stands for the installed package.

Symptom: none: the settings are made
Needs:   torch; cpu; about 2 s
Run:     python fix_own_fork.py; python broken_other_fork.py
"""
import json
import os
import sys
import tempfile

import torch

packages = {
    "deblur": "    size: int\n    threshold: float\n    iteration: int",
    "plain": "    size: int",
}


def install(fork, folder):
    with open(os.path.join(folder, "rasterizer.py"), "w") as file:
        file.write("from typing import NamedTuple\n\n\nclass Settings(NamedTuple):\n")
        file.write(packages[fork] + "\n")
    sys.path.insert(0, folder)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        install("plain", folder)  # FIX: as in this repository
        import rasterizer

        image = torch.zeros(2, 2)
        settings = rasterizer.Settings(size=len(image))

    healthy = settings.size == len(image)
    print("OBSERVED", json.dumps({"healthy": healthy, "size": settings.size}))
    sys.exit(0 if healthy else 1)
