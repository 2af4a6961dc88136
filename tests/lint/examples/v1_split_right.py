from torch.utils.data import random_split
from torchvision import datasets, transforms

resize = transforms.Compose([transforms.Resize(224), transforms.ToTensor()])
dataset = datasets.ImageFolder("data", transform=resize)
train_set, valid_set = random_split(dataset, [100, 20])
augment = transforms.Compose([transforms.RandomHorizontalFlip(), transforms.ToTensor()])
first, second = random_split(datasets.ImageFolder("data", transform=augment), [100, 20])
