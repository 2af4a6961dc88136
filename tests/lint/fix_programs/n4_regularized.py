import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(2, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
total, penalty_sum = 0.0, 0.0
for _ in range(3):
    ce_loss = model(torch.ones(1, 2)).logsumexp(1).mean()
    kl_loss = model.weight.abs().sum()
    loss = ce_loss + 0.1 * kl_loss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    total += loss
    penalty_sum += kl_loss
print(f"{total:.5f} {penalty_sum:.5f}", penalty_sum.requires_grad)
