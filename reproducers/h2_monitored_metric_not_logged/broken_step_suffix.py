"""H2: EarlyStopping watches a metric with the suffix _step, which validation does not have.

With on_step=True Lightning logs val_loss, val_loss_step and val_loss_epoch. When validation ends,
the callbacks see only val_loss and val_loss_epoch.

Symptom: RuntimeError: Early stopping conditioned on metric `val_loss_step` which is not available
Needs:   torch, lightning; cpu; about 6 s
Run:     python broken_step_suffix.py; python fix_epoch_suffix.py
"""
import json
import sys

import torch

try:
    import lightning
except ImportError:
    print("SKIPPED lightning is not installed")
    sys.exit(77)
from lightning.pytorch.callbacks import EarlyStopping

num_epochs = 20


class Model(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def training_step(self, batch, index):
        return self.layer(batch).mean()

    def validation_step(self, batch, index):
        self.log("val_loss", batch.mean(), on_step=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


if __name__ == "__main__":
    loader = torch.utils.data.DataLoader(torch.ones(8, 4), batch_size=4)
    trainer = lightning.Trainer(max_epochs=num_epochs, accelerator="cpu", logger=False,
                                enable_checkpointing=False, enable_progress_bar=False,
                                callbacks=[EarlyStopping(monitor="val_loss_step",  # BUG: not there
                                                         patience=3)])
    trainer.fit(Model(), loader, loader)

    healthy = trainer.current_epoch == 4  # val_loss stays 1: one best epoch, three without progress
    print("OBSERVED", json.dumps({"healthy": healthy, "epochs": trainer.current_epoch}))
    sys.exit(0 if healthy else 1)
