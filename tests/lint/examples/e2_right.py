import numpy as np
import pytorch_lightning as pl
import torch

try:
    from datasets import load_metric
except ImportError:
    from evaluate import load as load_metric


class Model(pl.LightningModule):
    def on_train_epoch_end(self):
        self.log("loss", torch.zeros(1))


def double(np):
    return np.float_(2)


x = np.float_(1) if np.__version__ < "2" else np.float64(1)
y = torch.nonsense(x)  # no release ever had it: a mistake of another kind
trainer = pl.Trainer(devices=1)
