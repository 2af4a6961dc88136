import torch
from torch.utils.data import BatchSampler, DataLoader, SequentialSampler, TensorDataset


def load(data, phase):
    if phase == "broken":
        return DataLoader(
            data,
            shuffle=True,
            batch_sampler=BatchSampler(SequentialSampler(data), batch_size=2, drop_last=False),
            drop_last=True,
        )
    return DataLoader(data, batch_size=3, drop_last=True)


data = TensorDataset(torch.arange(8))
print([batch.tolist() for (batch,) in load(data, "train")], len(load(data, "test")))
