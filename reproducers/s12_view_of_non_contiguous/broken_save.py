"""S12: a transposed weight is saved with safetensors.

The weight of another layer, transposed, is a view of it. safetensors writes plain memory, and
refuses a tensor that has none of its own order.

Symptom: ValueError: You are trying to save a non contiguous tensor: `decoder.weight`
Needs:   torch, safetensors; cpu; about 2 s
Run:     python broken_save.py
"""
import json
import os
import sys
import tempfile

import torch
from torch import nn

try:
    from safetensors.torch import load_file, save_file
except ImportError:
    print("SKIPPED safetensors is not installed")
    sys.exit(77)


if __name__ == "__main__":
    torch.manual_seed(0)
    encoder, decoder = nn.Linear(3, 4), nn.Linear(4, 3)
    decoder.weight = nn.Parameter(encoder.weight.detach().t())
    state = {"decoder." + name: tensor for name, tensor in decoder.state_dict().items()}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.safetensors")
        save_file(state, path)  # BUG: decoder.weight is transposed
        loaded = load_file(path)["decoder.weight"]

    healthy = torch.equal(loaded, encoder.weight.t())
    print("OBSERVED", json.dumps({"healthy": healthy, "shape": list(loaded.shape)}))
    sys.exit(0 if healthy else 1)
