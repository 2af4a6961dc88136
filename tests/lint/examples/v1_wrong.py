from torchvision import transforms

normalize = transforms.Normalize([0.5], [0.5])
train_transform = transforms.Compose([
    transforms.RandomResizedCrop(224),
    transforms.ToTensor(),
    normalize,
])
val_transform = transforms.Compose([transforms.Resize(256), transforms.ToTensor()])  # BUG
