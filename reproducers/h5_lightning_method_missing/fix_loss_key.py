"""H5: the dict of training_step has the key loss.

Other keys may be beside it.

Symptom: none
Needs:   torch, lightning; cpu; about 9 s
Run:     python fix_loss_key.py
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
        return {"loss": self.layer(batch[0]).pow(2).mean()}  # FIX: the key "loss"

    def test_step(self, batch, batch_idx):
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
