import random

import torchvision.transforms as T
import torchvision.transforms.functional as TF
from torch.utils.data import Dataset


def turn(image):
    if random.random() < 0.5:
        image = TF.vflip(image)
    return image


class Cells(Dataset):
    def __init__(self, images, masks):
        self.images, self.masks = images, masks
        self.transform = T.Compose([T.RandomCrop(64), T.ToTensor()])

    def __getitem__(self, index):
        image, mask = self.images[index], self.masks[index]
        image, mask = turn(image), turn(mask)  # BUG: it draws twice
        return self.transform(image), self.transform(mask)  # BUG: two crops
