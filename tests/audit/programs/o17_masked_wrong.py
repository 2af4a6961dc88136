"""New tokens are trained, and a hook is meant to keep the old ones: AdamW moves them by weight decay."""
import torch
from torch import nn

OLD, NEW = 40, 8


def main():
    torch.manual_seed(0)
    tokens, head = nn.Embedding(OLD + NEW, 16), nn.Linear(16, 3)
    keep = torch.ones(OLD + NEW, 1)
    keep[:OLD] = 0
    tokens.weight.register_hook(lambda gradient: gradient * keep)
    optimizer = torch.optim.AdamW([*tokens.parameters(), *head.parameters()], lr=1e-2)
    for step in range(12):
        sentences = torch.randint(OLD + NEW, (32, 6))
        loss = nn.functional.cross_entropy(head(tokens(sentences).mean(1)), sentences[:, 0] % 3)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
