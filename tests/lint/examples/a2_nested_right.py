from itertools import chain

import torch
from nets import Critic, Decoder, Encoder


def train(loader, criterion, limit):
    encoder, decoder, critic = Encoder(), Decoder(), Critic()
    both = chain(encoder.parameters(), decoder.parameters())
    optimizer, critic_optimizer = torch.optim.Adam(both), torch.optim.Adam(critic.parameters())
    for number, images in enumerate(loader):
        fake = decoder(encoder(images))
        with torch.no_grad():
            before = critic(fake)
        critic_loss = criterion(critic(fake.detach()), 0) + criterion(critic(images), 1)
        critic_optimizer.zero_grad()
        critic_loss.backward()
        critic_optimizer.step()
        if number % limit == 0:
            score = critic(fake)
            loss = criterion(score, 1) + criterion(before, 1)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
