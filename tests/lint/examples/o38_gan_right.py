"""All that steps is cleared: by the caller, as a part of the model, or after each step."""

import torch


class GAN(torch.nn.Module):
    def __init__(self, generator, discriminator):
        super().__init__()
        self.generator, self.discriminator = generator, discriminator

    def step(self, real):
        self.zero_grad()
        self.discriminator(real).mean().backward()
        self.discriminator.optimizer.step()


def discriminator_step(discriminator, optimizer_d, real):
    discriminator(real).mean().backward()
    optimizer_d.step()


def train(G, D, steps, batches):
    D.optim.zero_grad()
    for x in batches:
        for _ in range(steps):
            D(x).mean().backward()
            D.optim.step()
            D.optim.zero_grad()
        G.zero_grad()
        G(x).mean().backward()
        G.optim.step()


def accumulate(model, optimizer, parts):
    optimizer.zero_grad()
    for part in parts:
        model(part).mean().backward()
    optimizer.step()


def train_under_other_names(net, critic, optimizer, optimizer_critic, batches):
    for x in batches:
        net.zero_grad()
        net(x).mean().backward()
        optimizer.step()
        critic.zero_grad()
        critic(x).mean().backward()
        optimizer_critic.step()


def main(generator, discriminator, batches):
    optimizer = torch.optim.Adam(generator.parameters())
    optimizer_critic = torch.optim.Adam(discriminator.parameters())
    generator.train()
    discriminator.train()
    train_under_other_names(generator, discriminator, optimizer, optimizer_critic, batches)
