"""E2: the hook that Lightning 1 and 2 call after each training epoch.

on_train_epoch_end has the same name in both.

Symptom: none: 3 epochs, the hook ran 3 times
Needs:   torch, lightning; cpu; about 12 s
Run:     python broken_hook.py; python fix_hook.py
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

epochs = 3


class Model(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)
        self.decays = 0

    def training_step(self, batch, batch_idx):
        return self.layer(batch).pow(2).mean()

    def on_train_epoch_end(self):  # FIX: called after each epoch
        self.decays += 1

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


if __name__ == "__main__":
    model = Model()
    with tempfile.TemporaryDirectory() as folder:
        trainer = lightning.Trainer(max_epochs=epochs, accelerator="cpu", default_root_dir=folder,
                                    enable_checkpointing=False, enable_progress_bar=False,
                                    logger=False)
        trainer.fit(model, torch.utils.data.DataLoader(torch.rand(8, 2), batch_size=4))

    healthy = model.decays == trainer.current_epoch == epochs
    print("OBSERVED", json.dumps({"healthy": healthy, "epochs": trainer.current_epoch,
                                  "calls_of_hook": model.decays}))
    sys.exit(0 if healthy else 1)
