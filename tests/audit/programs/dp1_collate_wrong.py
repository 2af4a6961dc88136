"""Trains on masked tokens. The generator of the collate_fn is copied into each worker."""

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader


class MaskTokens:
    def __init__(self):
        self.draws = np.random.default_rng(1)

    def __call__(self, rows):
        tokens = torch.stack(rows)
        masked = torch.from_numpy(self.draws.random(tokens.shape) < 0.3)
        return tokens.masked_fill(masked, 0), tokens


if __name__ == "__main__":
    torch.manual_seed(0)
    loader = DataLoader(torch.randint(1, 20, (64, 12)), batch_size=8, shuffle=True, num_workers=2,
                        collate_fn=MaskTokens())
    model = nn.Sequential(nn.Embedding(20, 8), nn.Linear(8, 20))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(2):
        for tokens, labels in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(tokens).flatten(0, 1), labels.flatten()).backward()
            optimizer.step()
