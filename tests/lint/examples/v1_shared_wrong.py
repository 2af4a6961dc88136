from torch.utils.data import DataLoader
from torchvision import datasets, transforms


def loaders(path):
    steps = []
    steps.append(transforms.RandomResizedCrop(224))
    steps.append(transforms.RandomHorizontalFlip())
    steps.append(transforms.ToTensor())
    sequence = transforms.Compose(steps)
    dataset_train = datasets.ImageFolder(path + "/train", transform=sequence)
    dataset_val = datasets.ImageFolder(path + "/val", transform=sequence)  # BUG
    return DataLoader(dataset_train, 64, shuffle=True), DataLoader(dataset_val, 64)
