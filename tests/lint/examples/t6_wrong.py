import torch
from torch.utils.data import DataLoader


class Trainer:
    def __init__(self, model, loader):
        self.model, self.loader = model, loader

    def fit(self):
        for images, labels in self.loader:
            images = images.cuda(non_blocking=True)  # BUG
            self.step(self.model(images), labels)

    def step(self, scores, labels):
        torch.nn.functional.cross_entropy(scores, labels.cuda()).backward()


class Evaluator:
    def __init__(self, train_set, test_set):
        self.train_loader, self.test_loader = make_loaders(train_set, test_set)

    def test(self, device):
        for images, labels in self.test_loader:
            print(images.to(device, non_blocking=True).mean(), labels)  # BUG


def make_loaders(train_set, test_set):
    return DataLoader(train_set, pin_memory=True), DataLoader(test_set, batch_size=8)


def main(model, train_set, test_set, device):
    Trainer(model, DataLoader(train_set, batch_size=8, shuffle=True)).fit()
    Evaluator(train_set, test_set).test(device)
    loaders = {"train": DataLoader(train_set, shuffle=True), "val": DataLoader(test_set)}
    for phase in ("train", "val"):
        for images, _ in loaders[phase]:
            print(phase, model(images.to(device, non_blocking=True)))  # BUG


def in_containers(model, data, device):
    loader = DataLoader(data, num_workers=2)
    for batch in loader:
        model({name: value.to(device, non_blocking=True) for name, value in batch.items()})  # BUG
        for name in batch:
            batch[name] = batch[name].to(device, non_blocking=True)  # BUG
        model(batch)
