# A loader that is a dataclass has no hash.
from dataclasses import dataclass

import torch
from torch.utils.data import DataLoader


@dataclass
class Config(DataLoader):
    numbers: int = 8

    def __post_init__(self):
        super().__init__(torch.arange(float(self.numbers)), batch_size=4)


print([batch.tolist() for batch in Config()])
