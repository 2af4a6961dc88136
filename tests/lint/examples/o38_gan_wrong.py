"""One of two optimizers is cleared in the loop, in the function, or often enough."""

import torch


def train(teachers, student, batches):
    optimizers = [torch.optim.Adam(teacher.parameters()) for teacher in teachers]
    optimizer = torch.optim.Adam(student.parameters())
    for x in batches:
        for number, teacher in enumerate(teachers):
            optimizers[number].zero_grad()
            teacher(x).mean().backward()
            optimizers[number].step()
        student(x).mean().backward()  # BUG
        optimizer.step()


def gan_function(G, D, steps):
    def train(x):
        G.optim.zero_grad()
        D.optim.zero_grad()
        for _ in range(steps):  # BUG
            for part in x:
                D(part).mean().backward()
            D.optim.step()
        G.optim.zero_grad()
        G(x).mean().backward()
        G.optim.step()

    return train


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
