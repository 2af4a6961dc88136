import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset


class Clips(Dataset):
    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        return torch.load(self.files[index])


def run(rank, world_size, files, images, model):
    dist.init_process_group("nccl", rank=rank, world_size=world_size)
    torch.manual_seed(1)
    model = DistributedDataParallel(model.to(rank), device_ids=[rank])
    optimizer = torch.optim.Adam(model.parameters())
    train_loader = DataLoader(images, batch_size=8, shuffle=True, num_workers=4)  # BUG
    clip_loader = DataLoader(Clips(files), batch_size=8, shuffle=False)  # BUG
    val_loader = DataLoader(images, batch_size=8)
    for epoch in range(10):
        train(model, train_loader, optimizer)
        for clip in clip_loader:
            optimizer.zero_grad()
            model(clip).mean().backward()
            optimizer.step()
    return val_loader


def train(model, loader, optimizer):
    for images, labels in loader:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(images), labels).backward()
        optimizer.step()
