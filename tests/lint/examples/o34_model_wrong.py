import torch
import torch.nn as nn
import torch.nn.functional as F

critic = nn.Sequential(nn.Linear(8, 1), nn.Sigmoid())


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 2)

    def probabilities(self, x):
        x = self.head(x)
        return F.softmax(x, dim=-1)

    def forward(self, x):
        return self.probabilities(x)

    def loss(self, states, actions, advantage):
        taken = self.probabilities(states).gather(1, actions)
        return -torch.log(taken) * advantage  # BUG


def losses(policy: Policy, x, real, fake, index):
    critic_loss = torch.log(critic(real))  # BUG
    generator_loss = torch.log(1.0 - critic(fake)).mean()  # BUG
    squash = torch.sigmoid
    volume = torch.log(squash(x) * (1 - squash(x)))  # BUG
    probability = Policy()(x)
    return critic_loss, generator_loss, volume, torch.log(probability[index])  # BUG
