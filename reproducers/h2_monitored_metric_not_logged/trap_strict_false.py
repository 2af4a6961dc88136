"""H2: EarlyStopping(strict=False) removes the error, and never stops.

Without its metric the callback does nothing, and it warns only with verbose=True. Training runs to
the last epoch.

Symptom: 20 epochs instead of 4, without a warning
Needs:   torch, lightning; cpu; about 6 s
Run:     python trap_strict_false.py
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
        self.log("valid_loss", batch.mean())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


if __name__ == "__main__":
    loader = torch.utils.data.DataLoader(torch.ones(8, 4), batch_size=4)
    trainer = lightning.Trainer(max_epochs=num_epochs, accelerator="cpu", logger=False,
                                enable_checkpointing=False, enable_progress_bar=False,
                                callbacks=[EarlyStopping(monitor="val_loss", patience=3,
                                                         strict=False)])  # BUG: it does nothing
    trainer.fit(Model(), loader, loader)

    healthy = trainer.current_epoch == 4  # val_loss stays 1: one best epoch, three without progress
    print("OBSERVED", json.dumps({"healthy": healthy, "epochs": trainer.current_epoch}))
    sys.exit(0 if healthy else 1)
