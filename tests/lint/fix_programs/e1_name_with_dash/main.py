import os

import torch

path = "jobs/first-batch.py"
try:
    exec(compile(open(path).read(), path, "exec"))
except AttributeError:
    print("new torch")
