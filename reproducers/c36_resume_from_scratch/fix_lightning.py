"""C36: with save_last=True, ckpt_path="last" continues at the next epoch.

ModelCheckpoint then also writes last.ckpt, and "last" finds it in its folder.

Symptom: none: the second run trains epochs 3 and 4
Needs:   torch, lightning; cpu; about 8 s
Run:     python fix_lightning.py
"""
import json
import sys
import tempfile

import torch

try:
    import lightning as L
    from lightning.pytorch.callbacks import ModelCheckpoint
except ImportError:
    print("SKIPPED lightning is not installed")
    sys.exit(77)


class Model(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)
        self.epochs = []

    def training_step(self, batch, index):
        self.epochs.append(self.current_epoch)
        return self.layer(batch).pow(2).mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def fit(folder, max_epochs, ckpt_path=None):
    checkpoints = ModelCheckpoint(dirpath=folder, save_last=True)  # FIX: writes last.ckpt
    trainer = L.Trainer(max_epochs=max_epochs, default_root_dir=folder, callbacks=[checkpoints],
                        logger=False, enable_progress_bar=False, enable_model_summary=False,
                        accelerator="cpu")
    model = Model()
    loader = torch.utils.data.DataLoader(torch.ones(4, 2), batch_size=4)
    trainer.fit(model, loader, ckpt_path=ckpt_path)
    return model.epochs


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        fit(folder, max_epochs=3)
        epochs = fit(folder, max_epochs=5, ckpt_path="last")

    healthy = epochs == [3, 4]
    print("OBSERVED", json.dumps({"healthy": healthy, "epochs_after_resume": epochs}))
    sys.exit(0 if healthy else 1)
