"""E2: Lightning 2 refuses a model with training_epoch_end.

It kept the outputs of every step of an epoch, and was removed in 2.0, as validation_epoch_end and
test_epoch_end were.

Symptom: NotImplementedError: Support for `training_epoch_end` has been removed in v2.0.0
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
        return {"loss": self.layer(batch).pow(2).mean()}

    def training_epoch_end(self, outputs):  # BUG: removed in Lightning 2
        self.means.append(float(torch.stack([step["loss"] for step in outputs]).mean()))

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
