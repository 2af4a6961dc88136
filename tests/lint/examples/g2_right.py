import torch
from torch.utils.data import DataLoader, Dataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Images(Dataset):
    def __init__(self, images, device="cpu"):
        self.images, self.device = images, device

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return torch.as_tensor(self.images[index]).to(self.device)


class OnGpu(Images):
    def __getitem__(self, index):
        return torch.as_tensor(self.images[index]).to(device)


def build(images):
    return DataLoader(Images(images), num_workers=4), DataLoader(OnGpu(images))
