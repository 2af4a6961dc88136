import torch
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
data = TensorDataset(torch.arange(4.0))

def main():
    for epoch in range(2):
        print(epoch)
    sampler = DistributedSampler(data, num_replicas=1, rank=0)
    for n in range(3):
        print(len(DataLoader(data, sampler=sampler)))
main()
