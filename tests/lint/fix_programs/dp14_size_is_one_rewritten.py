import torch
from torch.utils.data import BatchSampler, DataLoader, SequentialSampler, TensorDataset

data = TensorDataset(torch.arange(6))
size = 4
size -= 3
batches = BatchSampler(SequentialSampler(data), 2, False)
loader = DataLoader(data, batch_size=size, batch_sampler=batches)
print([batch.tolist() for (batch,) in loader], loader.batch_size, size)
