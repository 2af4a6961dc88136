# A Lightning module with every hook overridden is fitted for two epochs; the order of the hooks is printed.
# needs: lightning
import logging
import warnings

warnings.simplefilter("ignore")
import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
for name in ("lightning.pytorch", "lightning.pytorch.utilities.rank_zero"):
    logging.getLogger(name).setLevel(logging.ERROR)
log = []


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(2, 1)

    def training_step(self, batch, i):
        log.append(f"train {i}")
        loss = nn.functional.mse_loss(self.lin(batch[0]), batch[1])
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, i):
        log.append(f"val {i} {self.training} {torch.is_grad_enabled()}")

    def on_before_optimizer_step(self, optimizer):
        log.append("before step " + type(optimizer).__name__)

    def on_after_backward(self):
        log.append("after backward")

    def optimizer_step(self, *args, **kw):
        log.append("optimizer_step")
        super().optimizer_step(*args, **kw)

    def configure_optimizers(self):
        opt = torch.optim.SGD(self.parameters(), lr=0.1)
        return [opt], [torch.optim.lr_scheduler.StepLR(opt, 1)]


L.seed_everything(0, verbose=False)
data = TensorDataset(torch.randn(4, 2), torch.randn(4, 1))
net = Net()
trainer = L.Trainer(max_epochs=2, logger=False, enable_checkpointing=False, enable_progress_bar=False,
                    enable_model_summary=False, accelerator="cpu", gradient_clip_val=0.5)
trainer.fit(net, DataLoader(data, batch_size=2, shuffle=True), DataLoader(data, batch_size=4))
print(log)
print(trainer.callback_metrics["loss"].item().hex(), net.lin.weight.tolist(), trainer.global_step)
print(trainer.optimizers[0].param_groups[0]["lr"])
