import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
generator, critic = nn.Linear(2, 2), nn.Linear(2, 1)
first = torch.optim.Adam(generator.parameters(), lr=0.01)
second = torch.optim.Adam(critic.parameters(), lr=0.01)
g_total, d_total = 0.0, 0.0
g_sum = 0.0
d_sum = 0.0
for _ in range(3):
    fake = generator(torch.randn(4, 2))
    d_loss = F.binary_cross_entropy_with_logits(critic(fake.detach()), torch.zeros(4, 1))
    second.zero_grad()
    d_loss.backward()
    second.step()
    g_loss = F.binary_cross_entropy_with_logits(critic(fake), torch.ones(4, 1))
    first.zero_grad()
    g_loss.backward()
    first.step()
    d_sum += d_loss
    g_sum += g_loss
    g_total += g_loss
print(f"{d_sum:.5f} {g_sum:.5f}", g_total)
