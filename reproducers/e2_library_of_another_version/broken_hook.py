"""E2: Lightning 2 never calls on_epoch_end, and says nothing.

Lightning 1 called this hook after each epoch. Lightning 2 has removed it, so the method is only one
more method of your class. Other removed hooks raise (training_epoch_end, validation_epoch_end).

Symptom: 3 epochs, the hook ran 0 times, no error
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

if int(lightning.__version__.split(".")[0]) < 2:
    print("SKIPPED lightning 1 raises an error that names the hook")
    sys.exit(77)

epochs = 3


class Model(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)
        self.decays = 0

    def training_step(self, batch, batch_idx):
        return self.layer(batch).pow(2).mean()

    def on_epoch_end(self):  # BUG: nothing calls it
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
