"""H2: ModelCheckpoint watches a metric that was never logged.

Symptom: MisconfigurationException: `ModelCheckpoint(monitor='val_loss')` could not find the ...
Needs:   torch, lightning; cpu; about 6 s
Run:     python broken_checkpoint.py; python fix_checkpoint.py
"""
import json
import sys
import tempfile

import torch

try:
    import lightning
except ImportError:
    print("SKIPPED lightning is not installed")
    sys.exit(77)
from lightning.pytorch.callbacks import ModelCheckpoint

num_epochs = 3


class Model(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def training_step(self, batch, index):
        return self.layer(batch).mean()

    def validation_step(self, batch, index):
        self.log("valid_loss", batch.mean() / (1 + self.current_epoch))  # BUG: another name

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


if __name__ == "__main__":
    loader = torch.utils.data.DataLoader(torch.ones(8, 4), batch_size=4)
    with tempfile.TemporaryDirectory() as folder:
        keep = ModelCheckpoint(dirpath=folder, monitor="val_loss", filename="{epoch}")
        trainer = lightning.Trainer(max_epochs=num_epochs, accelerator="cpu", logger=False,
                                    enable_progress_bar=False, callbacks=[keep])
        trainer.fit(Model(), loader, loader)

    best = keep.best_model_path[-12:]
    healthy = best == "epoch=2.ckpt"  # the loss falls, so the last of 3 epochs is the best
    print("OBSERVED", json.dumps({"healthy": healthy, "best": best}))
    sys.exit(0 if healthy else 1)
