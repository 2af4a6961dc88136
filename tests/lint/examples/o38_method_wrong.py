"""A method that clears one of its two optimizers."""

import torch


class GAN:
    def __init__(self, generator, discriminator):
        self.generator, self.discriminator = generator, discriminator
        self.generator.train()
        self.discriminator.train()

    def step(self, real):
        self.discriminator(real).mean().backward()  # BUG
        fake = self.generator(real)
        self.discriminator(fake.detach()).mean().backward()
        self.discriminator.optimizer.step()
        self.generator.zero_grad()
        self.discriminator(fake).mean().backward()
        self.generator.optimizer.step()
