import torch
from torchvision.models import resnet18


def main(device, classes):
    model = resnet18()
    model = model.to(device)
    model.fc = torch.nn.Linear(512, classes)  # BUG
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    run(optimizer)


def run(optimizer):
    return optimizer
