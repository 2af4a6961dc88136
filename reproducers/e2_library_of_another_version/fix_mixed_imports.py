"""E2: the model and the Trainer come from the same package, and fit() trains.

Look at the base class of the model, at the callbacks, loggers and data modules too, also in the
libraries that you use: each has to be of the Trainer's package.

Symptom: none: 4 steps
Needs:   torch, lightning; cpu; about 6 s
Run:     python broken_mixed_imports.py; python fix_mixed_imports.py
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


class Model(lightning.LightningModule):  # FIX: one package for both
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
