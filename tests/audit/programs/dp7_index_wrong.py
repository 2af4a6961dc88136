"""The length counts recordings, but the index is that of a window: most windows are never used."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Windows(Dataset):
    def __init__(self, recordings, width):
        self.recordings, self.width = recordings, width
        self.windows = [(r, start) for r in range(len(recordings))
                        for start in range(0, recordings[r].shape[0] - width, width)]

    def __len__(self):
        return len(self.recordings)

    def __getitem__(self, i):
        r, start = self.windows[i]
        window = self.recordings[r][start:start + self.width]
        return (window - window.mean()) / window.std(), (window.mean() > 0).long()


torch.manual_seed(0)
data = Windows([torch.randn(200) for _ in range(40)], 16)
model = nn.Linear(16, 2)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(3):
    for x, y in DataLoader(data, batch_size=8, shuffle=True):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
