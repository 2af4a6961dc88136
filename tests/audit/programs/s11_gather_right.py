"""Q-learning: the values of the actions taken and of the next states are (N,)."""

import torch
from torch import nn

if __name__ == "__main__":
    torch.manual_seed(0)
    network = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3))
    optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
    for _ in range(20):
        states, following = torch.randn(16, 4), torch.randn(16, 4)
        actions, rewards = torch.randint(3, (16,)), torch.rand(16)
        with torch.no_grad():
            targets = rewards + 0.9 * network(following).max(1).values
        error = network(states).gather(1, actions[:, None])[:, 0] - targets
        loss = torch.where(error.abs() < 1, error ** 2 / 2, error.abs() - 0.5).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
