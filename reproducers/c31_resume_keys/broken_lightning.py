"""C31: load_from_checkpoint gets a file that Lightning has not written.

A state_dict of plain PyTorch has neither the version nor the keys of a Lightning checkpoint.

Symptom: KeyError: 'pytorch-lightning_version'
Needs:   torch, lightning; cpu; about 10 s
Run:     python broken_lightning.py; python fix_lightning.py
"""
import json
import os
import sys
import tempfile

import torch

try:
    import lightning
except ImportError:
    print("SKIPPED lightning is not installed")
    sys.exit(77)


class Model(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)


if __name__ == "__main__":
    trained = Model()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "weights.pt")
        torch.save(trained.state_dict(), path)
        model = Model.load_from_checkpoint(path)  # BUG: only weights are in the file

    healthy = torch.equal(model.layer.weight, trained.layer.weight)
    print("OBSERVED", json.dumps({"healthy": healthy}))
    sys.exit(0 if healthy else 1)
