"""Each look at the sampler is counted."""
import torch
from torch.utils.data import DataLoader, TensorDataset


class Settings:
    looks = 0

    @property
    def sampler(self):
        self.looks += 1
        return None

    def load(self):
        return DataLoader(TensorDataset(torch.arange(8)), sampler=self.sampler, shuffle=True)


settings = Settings()
settings.load()
print(settings.looks)
