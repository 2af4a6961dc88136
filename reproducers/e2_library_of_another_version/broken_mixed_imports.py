"""E2: the model is of pytorch_lightning, the Trainer of lightning, and fit() refuses the model.

The two packages hold the same code twice. A class of one is not a class of the other, so the
Trainer says that a LightningModule is no LightningModule.

Symptom: TypeError: `model` must be a `LightningModule` ..., got `Model`
Needs:   torch, lightning, pytorch_lightning; cpu; about 12 s
Run:     python broken_mixed_imports.py; python fix_mixed_imports.py
"""
import json
import sys
import tempfile

import torch

try:
    import lightning
    import pytorch_lightning as pl
except ImportError:
    print("SKIPPED lightning and pytorch_lightning are not both installed")
    sys.exit(77)


class Model(pl.LightningModule):  # BUG: the Trainer below is of the other package
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)

    def training_step(self, batch, batch_idx):
        return self.layer(batch).pow(2).mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


if __name__ == "__main__":
    model = Model()
    with tempfile.TemporaryDirectory() as folder:
        trainer = lightning.Trainer(max_epochs=2, accelerator="cpu", default_root_dir=folder,
                                    enable_checkpointing=False, enable_progress_bar=False,
                                    logger=False)
        trainer.fit(model, torch.utils.data.DataLoader(torch.rand(8, 2), batch_size=4))

    healthy = trainer.global_step == 4
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": trainer.global_step}))
    sys.exit(0 if healthy else 1)
