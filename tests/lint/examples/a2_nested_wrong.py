from itertools import chain

import torch
from nets import Critic, Decoder, Encoder


class Agent:
    def __init__(self):
        self.critic, self.policy = Critic(), Decoder()
        self.critic_optimizer = torch.optim.Adam(self.critic.parameters())
        self.policy_optimizer = torch.optim.Adam(self.policy.parameters())

    def learn(self, state, target, rounds):
        for _ in range(rounds):
            value = self.critic(state, self.policy(state))
            critic_loss = (value - target).pow(2).mean()
            self.policy_loss = -value.mean()
            self.critic_optimizer.zero_grad()
            critic_loss.backward(retain_graph=True)
            self.critic_optimizer.step()
            self.policy_optimizer.zero_grad()
            self.policy_loss.backward()  # BUG
            self.policy_optimizer.step()


def train(loader, criterion, limit):
    encoder, decoder, critic = Encoder(), Decoder(), Critic()
    both = chain(encoder.parameters(), decoder.parameters())
    optimizer, critic_optimizer = torch.optim.Adam(both), torch.optim.Adam(critic.parameters())
    for images in loader:
        fake = decoder(encoder(images))
        score = critic(fake)
        critic_loss = criterion(score, 0) + criterion(critic(images), 1)
        critic_loss.backward(retain_graph=True)
        critic_optimizer.step()
        rounds = 0
        while rounds < limit:
            optimizer.zero_grad()
            loss = criterion(score, 1)  # BUG
            loss.backward(retain_graph=True)
            optimizer.step()
            rounds += 1
