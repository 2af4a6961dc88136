"""C35: the version of torch in a checkpoint is no plain string.

Since torch 1.10 torch.__version__ is an object of the class TorchVersion, which compares versions.

Symptom: Unsupported global: GLOBAL torch.torch_version.TorchVersion was not an allowed global
Needs:   torch; cpu; about 2 s
Run:     python broken_torch_version.py; python fix_plain_values.py
"""
import io
import json
import sys

import torch

if __name__ == "__main__":
    model = torch.nn.Linear(4, 2)
    file = io.BytesIO()
    torch.save({"model": model.state_dict(), "torch": torch.__version__}, file)  # BUG: no str
    file.seek(0)
    loaded = torch.load(file, map_location="cpu")

    same = torch.equal(loaded["model"]["weight"], model.weight)
    healthy = same and loaded["torch"] == torch.__version__
    print("OBSERVED", json.dumps({"healthy": healthy, "keys": list(loaded)}))
    sys.exit(0 if healthy else 1)
