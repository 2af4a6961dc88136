import torch
from torch.utils.data import BatchSampler, DataLoader, SequentialSampler, TensorDataset


class Data:
    def __init__(self, count):
        self.data = TensorDataset(torch.arange(count))

    def broken(self):
        return DataLoader(self.data, batch_sampler=BatchSampler(SequentialSampler(self.data), 2, False), batch_size=2)

    def loader(self):
        return DataLoader(self.data, batch_sampler=BatchSampler(SequentialSampler(self.data), 2, False))

    def show(self):
        return [batch.tolist() for (batch,) in self.loader()]


print(len(Data(3).data) if False else "ready")
