"""C31: weights without a Lightning checkpoint around them go through load_state_dict.

load_from_checkpoint is for the files of Lightning's Trainer.

Symptom: none: the model has the weights
Needs:   torch, lightning; cpu; about 10 s
Run:     python fix_lightning.py; python broken_lightning.py
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
        model = Model()
        model.load_state_dict(torch.load(path))  # FIX: only weights are in the file

    healthy = torch.equal(model.layer.weight, trained.layer.weight)
    print("OBSERVED", json.dumps({"healthy": healthy}))
    sys.exit(0 if healthy else 1)
