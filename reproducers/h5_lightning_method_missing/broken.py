"""H5: the training ends, and Trainer.test finds no test_step.

A script calls test() after fit(). The weights are trained; only the module has no method for the
test.

Symptom: MisconfigurationException: No `test_step()` method defined to run `Trainer.test`.
Needs:   torch, lightning; cpu; about 9 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import logging
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

try:
    import lightning as L
except ImportError:
    print("SKIPPED lightning is not installed")
    sys.exit(77)

logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
options = {
    "accelerator": "cpu",
    "max_epochs": 1,
    "logger": False,
    "enable_checkpointing": False,
    "enable_progress_bar": False,
    "enable_model_summary": False,
}


class Model(L.LightningModule):
    """One layer."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)
        self.evaluated = 0

    def training_step(self, batch, batch_idx):
        return self.layer(batch[0]).pow(2).mean()

    def validation_step(self, batch, batch_idx):  # BUG: no test_step
        self.evaluated += 1

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


if __name__ == "__main__":
    torch.manual_seed(0)
    loader = DataLoader(TensorDataset(torch.randn(8, 3)), batch_size=4)
    model = Model()
    trainer = L.Trainer(**options)
    trainer.fit(model, loader)
    trainer.test(model, loader)

    healthy = model.evaluated == 2
    print("OBSERVED", json.dumps({"healthy": healthy, "batches_evaluated": model.evaluated}))
    sys.exit(0 if healthy else 1)
