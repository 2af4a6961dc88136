import numpy as np
import pytorch_lightning as pl
import torch
from datasets import load_metric  # BUG
from torch import nn


class Model(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def training_epoch_end(self, outputs):  # BUG
        values = np.float_(torch.stack(outputs).mean())  # BUG
        self.log("loss", values)


trainer = pl.Trainer(
    max_epochs=1,
    gpus=1,  # BUG
)
metric = load_metric("accuracy")  # BUG
