import random

import torch
import torchvision.transforms as T
import torchvision.transforms.functional as TF
from torch.utils.data import Dataset


def flip(pair):
    if random.random() < 0.5:
        pair = TF.hflip(pair)
    return pair


class Cells(Dataset):
    def __init__(self, images, masks, train):
        self.images, self.masks, self.train = images, masks, train
        self.crop = T.RandomCrop(64)
        self.jitter = T.ColorJitter(0.2)
        self.resize = T.Compose([T.Resize(64), T.ToTensor()])

    def __getitem__(self, index):
        image, mask = flip(torch.stack([self.images[index], self.masks[index]]))
        image, mask = self.resize(image), self.resize(mask)
        state = torch.get_rng_state()
        return self.jitter(image), mask, state

    def pair(self, image, mask):
        if self.train:
            image = self.crop(image)
        else:
            mask = self.crop(mask)
        return image, mask

    def seeded(self, image, mask, seed):
        torch.manual_seed(seed)
        image = self.crop(image)
        torch.manual_seed(seed)
        return image, self.crop(mask)
