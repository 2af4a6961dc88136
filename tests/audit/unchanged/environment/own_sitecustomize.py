# A sitecustomize of the user's own runs first, once in each process.
# run: sh -c 'mkdir own && echo "print(1, flush=True); answer = 42" > own/sitecustomize.py && PYTHONPATH=own python FILE'
import subprocess
import sys

import sitecustomize
import torch

print(sitecustomize.answer, torch.ones(1).item(), flush=True)
subprocess.run([sys.executable, "-c", "import sitecustomize; print(sitecustomize.answer)"])
