import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, IterableDataset, TensorDataset


class Stream(IterableDataset):
    def __iter__(self):
        while True:
            yield torch.randn(4)


def run(rank, world_size, images, sampler, settings, model):
    dist.init_process_group("nccl", rank=rank, world_size=world_size)
    model = DistributedDataParallel(model.to(rank), device_ids=[rank])
    optimizer = torch.optim.Adam(model.parameters())
    with_sampler = DataLoader(images, batch_size=8, shuffle=sampler is None, sampler=sampler)
    stream = DataLoader(Stream(), batch_size=8)
    tryout = DataLoader(TensorDataset(torch.randn(64, 4)), batch_size=8, shuffle=True)
    mine = DataLoader(settings.images_of(rank), batch_size=8, shuffle=True)
    for loader in (with_sampler, stream, tryout, mine):
        train(model, loader, optimizer)
    for images in with_sampler:
        model(images).mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    for images in stream:
        model(images).mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    for images in tryout:
        model(images).mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    for images in mine:
        model(images).mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    val_loader = DataLoader(images, batch_size=8, shuffle=True)
    return [model(images) for images in val_loader]


def train(model, loader, optimizer):
    for images in loader:
        print(model(images), optimizer)
