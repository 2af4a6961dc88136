from torch.utils.data import DataLoader
from torchvision import datasets, transforms


def loaders(path, augment):
    steps = [transforms.Resize(256), transforms.CenterCrop(224), transforms.ToTensor()]
    plain = transforms.Compose(steps)
    random = transforms.Compose([transforms.RandomResizedCrop(224), transforms.ToTensor()])
    train_set = datasets.ImageFolder(path + "/train", transform=random)
    other_set = datasets.ImageFolder(path + "/train", transform=plain)
    val_set = datasets.ImageFolder(path + "/val", transform=plain)
    return DataLoader(train_set, 64, shuffle=True), DataLoader(other_set, 64), DataLoader(val_set, 64)


def both(prepare, path, T_train, T_val):
    T_train = transforms.Compose([transforms.RandomResizedCrop(224), transforms.ToTensor()])
    train_dataset = prepare(path, T_train)
    train_dataset, val_dataset = prepare(path, T_train, T_val)
    return train_dataset, val_dataset
