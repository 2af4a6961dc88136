from torch.utils.data import random_split
from torchvision import datasets, transforms

transform = transforms.Compose([transforms.RandomHorizontalFlip(), transforms.ToTensor()])
dataset = datasets.ImageFolder("data", transform=transform)
train_set, valid_set = random_split(dataset, [100, 20])  # BUG
