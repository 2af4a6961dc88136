# needs: lightning
# A Lightning module with logging, validation and a checkpoint.
import logging
import warnings

import lightning
import torch
from torch.utils.data import DataLoader, TensorDataset

warnings.simplefilter("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


class Net(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)

    def training_step(self, batch, index):
        loss = torch.nn.functional.mse_loss(self.layer(batch[0]), batch[1])
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, index):
        self.log("val", torch.nn.functional.l1_loss(self.layer(batch[0]), batch[1]))

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.1)
        return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 1)]


torch.manual_seed(0)
data = TensorDataset(torch.randn(16, 2), torch.randn(16, 1))
trainer = lightning.Trainer(
    max_epochs=2,
    accelerator="cpu",
    enable_progress_bar=False,
    enable_model_summary=False,
    logger=False,
    gradient_clip_val=1.0,
    enable_checkpointing=False,
)
net = Net()
trainer.fit(net, DataLoader(data, 4, shuffle=True), DataLoader(data, 4))
print({name: value.item().hex() for name, value in sorted(trainer.callback_metrics.items())})
