"""A kernel over all pairs of samples: (N, 1) minus (N,) is meant."""
import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(20):
    samples = model(torch.randn(32, 4))
    similarity = (-(samples - torch.randn(32)) ** 2).exp().mean()
    optimizer.zero_grad()
    (1 - similarity).backward()
    optimizer.step()
