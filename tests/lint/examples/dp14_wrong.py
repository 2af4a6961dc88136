import torch
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler


def main(args, dataset, model, optimizer):
    train_sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=8, sampler=train_sampler, num_workers=args.workers)
    for epoch in range(args.epochs):  # BUG
        for images, labels in loader:
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(images), labels).backward()
            optimizer.step()


class Trainer:
    def __init__(self, model, dataset, optimizer, settings):
        self.model, self.optimizer, self.settings = model, optimizer, settings
        self.sampler = DistributedSampler(dataset, shuffle=settings["shuffle"])
        self.loader = DataLoader(dataset, batch_size=8, sampler=self.sampler)

    def fit(self):
        for epoch in range(self.settings["epochs"]):  # BUG
            for images, labels in self.loader:
                loss = torch.nn.functional.cross_entropy(self.model(images), labels)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
