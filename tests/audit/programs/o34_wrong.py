import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 3))
optimizer = torch.optim.Adam(policy.parameters(), lr=0.02)
states = torch.randn(64, 4)
best = states[:, :3].argmax(1)
for step in range(40):
    scale = 1 if step < 20 else 200
    probabilities = torch.softmax(scale * policy(states), 1)
    loss = -probabilities.log().gather(1, best[:, None]).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
