from torch.utils.data import DataLoader
from torchvision import datasets, transforms

augment = transforms.RandomApply([transforms.Compose([transforms.ColorJitter(), transforms.ToTensor()])])
train_loader = DataLoader(
    datasets.CIFAR10("data", train=True, transform=transforms.Compose([
        transforms.RandomCrop(32, padding=4), transforms.ToTensor(), transforms.Normalize((0.5,), (0.5,))])),
    batch_size=32, shuffle=True)
test_loader = DataLoader(
    datasets.CIFAR10("data", train=False, transform=transforms.Compose([
        transforms.ToTensor(), transforms.Normalize((0.5,), (0.5,))])),
    batch_size=32)
