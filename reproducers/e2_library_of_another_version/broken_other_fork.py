"""E2: a compiled package of the same name comes from another repository.

Forks of an extension keep its import name. The last one that was installed wins, for all
repositories that share the environment, and its arguments are others. Here a file stands for the
installed package.

Symptom: TypeError: __new__() missing 2 required positional arguments: 'threshold' and 'iteration'
Needs:   torch; cpu; about 2 s
Run:     python broken_other_fork.py; python fix_own_fork.py
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
        install("deblur", folder)  # BUG: this code was written for the plain one
        import rasterizer

        image = torch.zeros(2, 2)
        settings = rasterizer.Settings(size=len(image))

    healthy = settings.size == len(image)
    print("OBSERVED", json.dumps({"healthy": healthy, "size": settings.size}))
    sys.exit(0 if healthy else 1)
