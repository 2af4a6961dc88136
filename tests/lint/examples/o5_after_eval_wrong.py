"""Evaluation without no_grad() in functions whose names do not say so, and with helpers of other files."""

import torch
from steps import forward_step
from torch.autograd import Variable

from models import build


def main(args, dataset, loader, optimizer):
    net = build(args)
    if args.train:
        net.train()
        for images, labels in loader:
            images = images.cuda(async=True)
            loss = torch.nn.functional.cross_entropy(net(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    else:
        net.load_state_dict(torch.load(args.weights))
        net.eval()
        for number in range(len(dataset)):
            image, _ = dataset[number]
            output = net(image.unsqueeze(0))  # BUG
            print(torch.max(output, 1)[1].item())


def infer(model, loader):
    model.eval()
    correct = 0
    for images, labels in loader:
        images = Variable(images, volatile=True)
        output = model(images)  # BUG
        correct += (output.argmax(1) == labels).sum().item()
    return correct


class Trainer:
    def __init__(self, models, dev):
        self.model, self.dev = models, dev

    def eval_epoch(self):
        for key in self.model.keys():
            self.model[key].eval()
        for batch in self.dev:
            self.eval_step(batch)  # BUG
        for key in self.model.keys():
            self.model[key].train()

    def eval_step(self, batch):
        print(self.model["generator"](batch).mean().item())


def predictions(encoder, loader):
    encoder.eval()
    found = []
    for images in loader:
        found.append(forward_step(encoder, images).detach().cpu())  # BUG
    return found
