"""What follows eval() and needs gradients, has none, or runs no data through the model."""

import torch
from attacks import perturb

from models import build


def main(args, dataset, loader):
    net = build(args)
    net.eval()
    with torch.no_grad():
        for number in range(len(dataset)):
            print(net(dataset[number][0]).argmax(1))


def fine_tune(net, head, loader, optimizer):
    net.eval()  # frozen, and only the head learns
    for images, labels in loader:
        loss = torch.nn.functional.cross_entropy(head(net(images)), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(loss.item())


def extract(backbone, loader):
    for parameter in backbone.parameters():
        parameter.requires_grad = False
    backbone.eval()
    return [backbone(images).cpu().numpy() for images in loader]


def features(extractor, loader):
    for parameter in extractor.parameters():
        parameter.requires_grad = False
    extractor.eval()
    found = []
    for images in loader:
        found.append(extractor(images).cpu().numpy())
    return found


def measure(model, images, steps):
    model.eval()
    for _ in range(steps):
        print(model(images).mean().item())


def attack(model, loader):
    model.eval()
    for images, labels in loader:
        images.requires_grad_(True)
        perturb(model(images).max(1)[0].sum(), images)


def translations(model, loader):
    model.eval()
    found = []
    for ids in loader:
        found += model.generate(ids).tolist()  # switches gradients off itself
    return found
