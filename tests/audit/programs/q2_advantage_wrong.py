"""The advantage of equal rewards is nan, and no batch is: that is Q2."""

import torch
from torch import nn
from torch.distributions import Categorical
from torch.utils.data import DataLoader, TensorDataset


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 32), nn.Tanh())
        self.pi, self.v = nn.Linear(32, 3), nn.Linear(32, 1)

    def forward(self, x):
        h = self.body(x)
        return Categorical(logits=self.pi(h), validate_args=False), self.v(h)[:, 0]


def main():
    torch.manual_seed(0)
    policy = Policy()
    opt = torch.optim.Adam(policy.parameters(), lr=1e-3)
    obs = torch.randn(128, 6)
    acts = torch.randint(3, (128,))
    rew = torch.rand(128)
    rew[64:96] = 0.0
    for epoch in range(3):
        for o, a, r in DataLoader(TensorDataset(obs, acts, rew), batch_size=32):
            d, v = policy(o)
            adv = (r - r.mean()) / r.std()
            loss = -(d.log_prob(a) * adv).mean() + 0.5 * (v - r).pow(2).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()


main()
