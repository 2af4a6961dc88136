# REINFORCE samples actions from a categorical policy and backpropagates once per episode; prints returns and bits.
import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(1)
torch.set_num_threads(1)
policy = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))
opt = torch.optim.SGD(policy.parameters(), lr=0.05, momentum=0.9)
for episode in range(5):
    state, log_probs, rewards = torch.zeros(4), [], []
    for _ in range(6):
        dist = Categorical(logits=policy(state))
        action = dist.sample()
        log_probs.append(dist.log_prob(action))
        reward = 1.0 if int(action) == episode % 2 else -0.5
        rewards.append(reward)
        state = torch.cat([state[1:], torch.tensor([float(action)])])
    returns, acc = [], 0.0
    for r in reversed(rewards):
        acc = r + 0.9 * acc
        returns.insert(0, acc)
    loss = -(torch.stack(log_probs) * torch.tensor(returns)).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(episode, sum(rewards), loss.item().hex())
