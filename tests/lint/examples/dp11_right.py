import cv2
import numpy as np
import torch
from library import load_photo, prepare
from torch.utils.data import Dataset
from torchvision import transforms


class Photos(Dataset):
    def __init__(self, files, transform=None):
        self.files, self.transform = files, transform

    def load(self, index):
        return cv2.imread(self.files[index])

    def __getitem__(self, index):
        image = self.load(index)
        image = cv2.cvtColor(image, cv2.COLOR_BGR2RGB)
        if self.transform:
            image = self.transform(image)
        mask = cv2.imread(self.files[index].replace("photo", "mask"))
        return image, self.transform(mask)


class Reversed(Dataset):
    def __init__(self, files, transform):
        self.files, self.transform = files, transform

    def __getitem__(self, index):
        image = cv2.imread(self.files[index])
        image = image[:, :, ::-1]
        return self.transform(image)


class Prepared(Dataset):
    def __init__(self, files, transform):
        self.files, self.transform = files, transform

    def __getitem__(self, index):
        image = cv2.imread(self.files[index])
        image = prepare(image)
        return self.transform(image)


def as_tensor(path):
    image = cv2.imread(path)
    image = image.astype(np.float32) - np.array([104, 117, 123])  # Caffe's mean, blue first
    return torch.from_numpy(image.transpose(2, 0, 1))


def planes(path):
    image = np.transpose(cv2.imread(path), (2, 0, 1))
    image = image[::-1, :, :].copy()
    return torch.from_numpy(image)


def watch(path, model):
    video = cv2.VideoCapture(path)
    while True:
        success, frame = video.read()
        if not success:
            break
        model(transforms.ToTensor()(cv2.cvtColor(frame, cv2.COLOR_BGR2RGB)))


def edges(path):
    image = cv2.imread(path)
    image = cv2.cvtColor(image, cv2.COLOR_BGR2HSV)
    return transforms.ToTensor()(image), load_photo(path)
