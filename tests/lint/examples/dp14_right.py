import torch
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler


def main(args, dataset, val_dataset, model, optimizer):
    train_sampler = DistributedSampler(dataset) if args.distributed else None
    loader = DataLoader(dataset, batch_size=8, shuffle=train_sampler is None, sampler=train_sampler)
    val_loader = DataLoader(val_dataset, sampler=DistributedSampler(val_dataset, shuffle=False))
    for epoch in range(args.epochs):
        if args.distributed:
            train_sampler.set_epoch(epoch)
        for images, labels in loader:
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(images), labels).backward()
            optimizer.step()
    return val_loader
