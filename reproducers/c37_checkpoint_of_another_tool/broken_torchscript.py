"""C37: a TorchScript file is read by torch.load.

It holds code and weights, and is a zip file as that of torch.save. From torch 2.6 on, torch.load
refuses it by default; before, it returned a model, with a warning.

Symptom: RuntimeError: Cannot use ``weights_only=True`` with TorchScript archives
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

    state = torch.load(file)  # BUG: the file has code as well

    model = nn.Linear(8, 4)
    model.load_state_dict(state)
    same = [torch.equal(a, b) for a, b in zip(model.parameters(), trained.parameters())]
    healthy = same == [True, True]
    print("OBSERVED", json.dumps({"healthy": healthy, "tensors_as_saved": sum(same)}))
    sys.exit(0 if healthy else 1)
