import torch
from torch import nn


def train(net, critic, batches):
    optimizer = torch.optim.Adam(net.parameters())
    optimizer_critic = torch.optim.Adam(critic.parameters())
    for x in batches:
        score = critic(net(x).detach()).mean()
        score.backward()  # BUG
        optimizer_critic.step()
        loss = -critic(net(x)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
