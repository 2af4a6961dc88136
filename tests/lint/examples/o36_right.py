import torch
from torch import nn
from torch.distributions import Normal


class Policy(nn.Module):
    def __init__(self, width, actions):
        super().__init__()
        self.mean, self.width = nn.Linear(width, actions), nn.Linear(width, actions)
        self.log_std = nn.Parameter(torch.zeros(actions))
        self.fixed = nn.Parameter(torch.ones(actions), requires_grad=False)

    def forward(self, x):
        return Normal(self.mean(x), self.log_std.exp()), Normal(self.mean(x), self.fixed)

    def by_state(self, x):
        scale = nn.functional.softplus(self.width(x))
        return Normal(self.mean(x), scale)
