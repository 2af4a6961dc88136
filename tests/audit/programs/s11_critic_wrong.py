"""Actor and critic in one model; the returns are (N,), the values (N, 1)."""
import torch
from torch import nn
from torch.distributions import Categorical


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 16), nn.Tanh())
        self.actor, self.critic = nn.Linear(16, 2), nn.Linear(16, 1)

    def forward(self, x):
        h = self.body(x)
        return Categorical(logits=self.actor(h)), self.critic(h)


torch.manual_seed(0)
model = ActorCritic()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for update in range(8):
    states = torch.randn(32, 4)
    with torch.no_grad():
        actions = model(states)[0].sample()
    returns = states[:, 0] * (2 * actions - 1)
    policy, values = model(states)
    advantage = returns - values
    loss = advantage.pow(2).mean() - (policy.log_prob(actions) * advantage.detach()).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
