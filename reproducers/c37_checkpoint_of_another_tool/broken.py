"""C37: the file is named .safetensors, and torch.save wrote it.

The reader goes by the name. It takes the first 8 bytes for the length of a header, which is absurd.

Symptom: SafetensorError: Error while deserializing header: header too large
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

        state = load_file(path)  # BUG: the content is of torch.save

    model = nn.Linear(8, 4)
    model.load_state_dict(state)
    same = [torch.equal(a, b) for a, b in zip(model.parameters(), trained.parameters())]
    healthy = same == [True, True]
    print("OBSERVED", json.dumps({"healthy": healthy, "tensors_as_saved": sum(same)}))
    sys.exit(0 if healthy else 1)
