import torch
from torch import nn


def train(net, critic, batches):
    optimizer = torch.optim.Adam(net.parameters())
    optimizer_critic = torch.optim.Adam(critic.parameters())
    for x in batches:
        score = critic(net(x).detach()).mean()
        critic.zero_grad()
        score.backward()
        optimizer_critic.step()
        for each in (optimizer, optimizer_critic):
            each.zero_grad()
        (-critic(net(x)).mean()).backward()
        optimizer.step()
