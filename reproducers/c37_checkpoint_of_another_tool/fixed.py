"""C37: the file is read as what it contains, whatever its name is.

A new torch.load goes by the name as well, so it gets the open file.

Symptom: none: both tensors are as they were saved
Needs:   torch, safetensors; cpu; about 2 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import os
import sys
import tempfile

import torch
from torch import nn

try:
    from safetensors.torch import load_file
except ImportError:
    print("SKIPPED safetensors is not installed")
    sys.exit(77)

torch.manual_seed(0)
trained = nn.Linear(8, 4)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.safetensors")
        torch.save(trained.state_dict(), path)  # by a different tool, or renamed

        with open(path, "rb") as file:  # FIX
            state = torch.load(file)  # FIX: the content is of torch.save

    model = nn.Linear(8, 4)
    model.load_state_dict(state)
    same = [torch.equal(a, b) for a, b in zip(model.parameters(), trained.parameters())]
    healthy = same == [True, True]
    print("OBSERVED", json.dumps({"healthy": healthy, "tensors_as_saved": sum(same)}))
    sys.exit(0 if healthy else 1)
