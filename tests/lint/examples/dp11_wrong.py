import cv2
import numpy as np
import torch
from PIL import Image
from torch.utils.data import Dataset
from torchvision import transforms


class Photos(Dataset):
    def __init__(self, files):
        self.files = files
        self.prepare = transforms.Compose([transforms.ToTensor(), transforms.Normalize([0.5] * 3, [0.5] * 3)])

    def __getitem__(self, index):
        image = cv2.imread(self.files[index])  # BUG
        image = cv2.resize(image, (224, 224))
        return self.prepare(image)


class Pairs(Dataset):
    def __init__(self, files, transform=None):
        self.files, self.transform = files, transform

    def load(self, index):
        image = cv2.imread(self.files[index], cv2.IMREAD_COLOR | cv2.IMREAD_IGNORE_ORIENTATION)  # BUG
        return image

    def __getitem__(self, index):
        image = self.load(index)
        if torch.rand(1) < 0.5:
            image = image[:, ::-1, :]
        try:
            image = cv2.resize(image, (64, 64))
        except cv2.error:
            image = np.zeros((64, 64, 3), np.uint8)
        if self.transform:
            image = self.transform(image)
        return image


def as_tensor(path):
    image = cv2.imread(path)  # BUG
    image = image.astype(np.float32) / 255
    image = (image - np.array([0.485, 0.456, 0.406])) / np.array([0.229, 0.224, 0.225])
    return torch.from_numpy(np.transpose(image, (2, 0, 1)))


def watch(path, model):
    video = cv2.VideoCapture(path)
    while True:
        success, frame = video.read()  # BUG
        if not success:
            break
        shown = cv2.resize(frame, (320, 240))
        result = model(transforms.ToTensor()(Image.fromarray(shown)))
        cv2.imshow("result", cv2.cvtColor(result.numpy(), cv2.COLOR_RGB2BGR))
