"""H2: ReduceLROnPlateau reads its metric in an epoch without validation.

Validation runs in every second epoch, and the scheduler steps in every epoch. In the first one the
metric does not exist yet.

Symptom: MisconfigurationException: ReduceLROnPlateau conditioned on metric val_loss ...
Needs:   torch, lightning; cpu; about 6 s
Run:     python broken_plateau.py; python fix_plateau.py
"""
import json
import sys

import torch

try:
    import lightning
except ImportError:
    print("SKIPPED lightning is not installed")
    sys.exit(77)

num_epochs = 6


class Model(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def training_step(self, batch, index):
        return self.layer(batch).mean()

    def validation_step(self, batch, index):
        self.log("val_loss", batch.mean())

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.1)
        plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1)
        return {"optimizer": optimizer,
                "lr_scheduler": {"scheduler": plateau, "monitor": "val_loss",
                                 "frequency": 1}}  # BUG: also without validation


if __name__ == "__main__":
    loader = torch.utils.data.DataLoader(torch.ones(8, 4), batch_size=4)
    trainer = lightning.Trainer(max_epochs=num_epochs, accelerator="cpu", logger=False,
                                enable_checkpointing=False, enable_progress_bar=False,
                                check_val_every_n_epoch=2)
    trainer.fit(Model(), loader, loader)

    lr = trainer.optimizers[0].param_groups[0]["lr"]
    healthy = abs(lr - 0.01) < 1e-9  # three validations: the second without progress lowers it
    print("OBSERVED", json.dumps({"healthy": healthy, "lr": round(lr, 6)}))
    sys.exit(0 if healthy else 1)
