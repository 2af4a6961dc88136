import torch
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler


def main(args, dataset, model, optimizer):
    train_sampler = DistributedSampler(dataset)  # BUG
    loader = DataLoader(dataset, batch_size=8, sampler=train_sampler, num_workers=args.workers)
    for epoch in range(args.epochs):
        for images, labels in loader:
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(images), labels).backward()
            optimizer.step()
