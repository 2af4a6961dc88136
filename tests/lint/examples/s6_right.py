import torch
from torchvision.models import resnet18


def make(device, classes):
    model = resnet18().to(device)
    model.fc = torch.nn.Linear(512, classes).to(device)
    return model


def main(device, classes):
    model = resnet18()
    model.to(device)
    model.fc = torch.nn.Linear(512, classes)
    model.to(device)
    return torch.optim.SGD(model.parameters(), lr=0.1)
