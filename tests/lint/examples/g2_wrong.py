import torch
from torch.utils.data import DataLoader, Dataset, random_split

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Images(Dataset):
    def __init__(self, images):
        self.images = images

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return torch.as_tensor(self.images[index]).to(device)  # BUG


def build(images):
    train_set, val_set = random_split(Images(images), [80, 20])
    return DataLoader(train_set, num_workers=4), DataLoader(val_set)


def build_stacked(items):
    return DataLoader(items, num_workers=2, collate_fn=lambda batch: torch.stack(batch).cuda())  # BUG
