"""C35: torch 1.12 and older do not know the argument weights_only.

torch.load() hands unknown arguments to the unpickler, so the message names that.

Symptom: TypeError: 'weights_only' is an invalid keyword argument for Unpickler()
Needs:   torch; cpu; about 2 s
Run:     python broken_old_torch.py
"""
import io
import json
import sys

import torch

if __name__ == "__main__":
    file = io.BytesIO()
    torch.save({"weight": torch.ones(2)}, file)
    file.seek(0)
    loaded = torch.load(file, weights_only=True)  # BUG: since torch 1.13

    healthy = loaded["weight"].tolist() == [1.0, 1.0]
    print("OBSERVED", json.dumps({"healthy": healthy, "keys": list(loaded)}))
    sys.exit(0 if healthy else 1)
