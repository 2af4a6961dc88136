import torch
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
data = TensorDataset(torch.arange(4.0))

def main():
	for epoch in range(1):
		print("warm-up")
	sampler = DistributedSampler(data, num_replicas=1, rank=0)
	loader = DataLoader(data, sampler=sampler)
	for epoch in range(2):
		@staticmethod
		def each(): pass
		print(sorted(x.item() for (x,) in loader))
main()
