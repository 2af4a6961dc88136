"""C37: torch.jit.load reads the file, and its state_dict() is a plain one.

Only do this with a file that you trust: it runs its code.

Symptom: none: both tensors are as they were saved
Needs:   torch; cpu; about 3 s
Run:     python broken_torchscript.py; python fix_torchscript.py
"""
import io
import json
import sys

import torch
from torch import nn


torch.manual_seed(0)
trained = nn.Linear(8, 4)


if __name__ == "__main__":
    file = io.BytesIO()
    torch.jit.save(torch.jit.script(trained), file)
    file.seek(0)

    state = torch.jit.load(file, map_location="cpu").state_dict()  # FIX

    model = nn.Linear(8, 4)
    model.load_state_dict(state)
    same = [torch.equal(a, b) for a, b in zip(model.parameters(), trained.parameters())]
    healthy = same == [True, True]
    print("OBSERVED", json.dumps({"healthy": healthy, "tensors_as_saved": sum(same)}))
    sys.exit(0 if healthy else 1)
