"""S12: a transposed weight is copied into its own order, then saved.

The weight of another layer, transposed, is a view of it. contiguous() copies
it, and the copy can be saved.

Symptom: none: the file holds the transposed weight
Needs:   torch, safetensors; cpu; about 2 s
Run:     python fix_save.py
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
        packed = {name: tensor.contiguous() for name, tensor in state.items()}  # FIX: copies
        save_file(packed, path)
        loaded = load_file(path)["decoder.weight"]

    healthy = torch.equal(loaded, encoder.weight.t())
    print("OBSERVED", json.dumps({"healthy": healthy, "shape": list(loaded.shape)}))
    sys.exit(0 if healthy else 1)
