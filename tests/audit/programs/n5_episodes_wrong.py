"""A policy that is called for a whole episode before its statistics and weights are updated, and then saved."""
import io

import torch
from torch import nn


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(3), persistent=False)
        self.net = nn.Linear(3, 2)

    def forward(self, x):
        return torch.distributions.Categorical(logits=self.net(x - self.mean))


torch.manual_seed(0)
policy = Policy()
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
for iteration in range(6):
    states = []
    for _ in range(40):
        state = torch.randn(3) + 4
        with torch.no_grad():
            policy(state).sample()
        states.append(state)
    states = torch.stack(states)
    policy.mean.lerp_(states.mean(0), 0.3)
    chosen = policy(states)
    actions = chosen.sample()
    loss = -(chosen.log_prob(actions) * (states[:, 0] - 4) * (2 * actions - 1)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
torch.save(policy.state_dict(), io.BytesIO())
print(loss.item())
