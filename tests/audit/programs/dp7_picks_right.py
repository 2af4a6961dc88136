"""Siamese network; pairs are drawn from the classes, and a batch is sorted by them."""
import random
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.dataloader import default_collate


class Faces(Dataset):
    def __init__(self, people=12, shots=10):
        g = torch.Generator().manual_seed(0)
        centre = torch.randn(people, 1, 24, generator=g)
        self.features = (centre + 0.3 * torch.randn(people, shots, 24, generator=g)).reshape(-1, 24)
        self.identity = torch.arange(people).repeat_interleave(shots)

    def __len__(self):
        return len(self.features)

    def __getitem__(self, index):
        return self.features[index], int(self.identity[index])


def collate(samples):
    samples.sort(key=lambda sample: sample[1])
    return default_collate(samples)


def main():
    random.seed(0)
    torch.manual_seed(0)
    loader = DataLoader(Faces(), batch_size=20, shuffle=True, collate_fn=collate)
    embed = nn.Sequential(nn.Linear(24, 32), nn.ReLU(), nn.Linear(32, 8))
    opt = torch.optim.Adam(embed.parameters(), lr=2e-3)
    for epoch in range(4):
        for features, identity in loader:
            z = nn.functional.normalize(embed(features), dim=1)
            similar = z @ z.t()
            same = (identity[:, None] == identity[None]).float()
            loss = ((1 - similar) * same + similar.clamp(min=0) * (1 - same)).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(epoch, round(loss.item(), 4))


if __name__ == "__main__":
    main()
