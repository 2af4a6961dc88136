from torchvision import transforms

normalize = transforms.Normalize([0.5], [0.5])
transform = {
    "train": transforms.Compose([transforms.RandomCrop(32), transforms.ToTensor(), normalize]),
    "val": transforms.Compose([transforms.Resize(256), transforms.ToTensor(), normalize]),
}
