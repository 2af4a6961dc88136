import cv2
import torch


class Net(torch.nn.Module):
    def __init__(self, path):
        super().__init__()
        self.net = cv2.dnn.readNetFromONNX(path)

    def forward(self, image):
        self.net.setInput(image)
        return self.net.forward()


def train(model, loader, optimizer):
    for images, labels in loader:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(images), labels).backward()
        optimizer.step()
