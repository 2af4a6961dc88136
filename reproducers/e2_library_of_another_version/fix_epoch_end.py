"""E2: the model keeps its own outputs and uses on_train_epoch_end.

Clear the list, or it keeps the values of all epochs. Detach the loss, or it keeps every graph (N4).

Symptom: none: a mean for each of 3 epochs
Needs:   torch, lightning; cpu; about 6 s
Run:     python broken_epoch_end.py; python fix_epoch_end.py
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


class Model(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)
        self.losses = []
        self.means = []

    def training_step(self, batch, batch_idx):
        loss = self.layer(batch).pow(2).mean()
        self.losses.append(loss.detach())
        return loss

    def on_train_epoch_end(self):  # FIX: no outputs: the model has kept them
        self.means.append(float(torch.stack(self.losses).mean()))
        self.losses.clear()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


if __name__ == "__main__":
    model = Model()
    with tempfile.TemporaryDirectory() as folder:
        trainer = lightning.Trainer(max_epochs=3, accelerator="cpu", default_root_dir=folder,
                                    enable_checkpointing=False, enable_progress_bar=False,
                                    logger=False)
        trainer.fit(model, torch.utils.data.DataLoader(torch.rand(8, 2), batch_size=4))

    healthy = len(model.means) == 3 and model.means[2] < model.means[0]
    print("OBSERVED", json.dumps({"healthy": healthy, "epochs_with_a_mean": len(model.means)}))
    sys.exit(0 if healthy else 1)
