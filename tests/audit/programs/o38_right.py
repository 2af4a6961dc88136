"""Gradients that are cleared in unusual ways: by hand, by the module, after several losses, in a GAN."""
import torch
from torch import nn

torch.manual_seed(0)
generator, critic = nn.Linear(4, 2), nn.Linear(2, 1)
slow, fast = torch.optim.SGD(generator.parameters(), lr=0.01), torch.optim.Adam(critic.parameters())
for _ in range(30):
    real, fake = torch.randn(16, 2) + 3, generator(torch.randn(16, 4))
    for parameter in critic.parameters():  # after the generator's loss went through the critic
        if parameter.grad is not None:
            parameter.grad.data.zero_()
    nn.functional.softplus(-critic(real)).mean().backward()
    nn.functional.softplus(critic(fake.detach())).mean().backward()
    fast.step()
    generator.zero_grad()
    nn.functional.softplus(-critic(fake)).mean().backward()
    slow.step()

weight = torch.zeros(3, requires_grad=True)
optimizer = torch.optim.SGD([weight], lr=0.1)
for _ in range(20):
    inputs = torch.randn(8, 3)
    ((inputs @ weight - inputs.sum(1)) ** 2).mean().backward()
    (weight ** 2).sum().mul(1e-4).backward()
    optimizer.step()
    weight.grad.zero_()

lbfgs = torch.optim.LBFGS([weight], max_iter=5)


def closure():
    lbfgs.zero_grad()
    loss = ((weight - 1) ** 2).sum()
    loss.backward()
    return loss


for _ in range(5):
    lbfgs.step(closure)
print(weight)
