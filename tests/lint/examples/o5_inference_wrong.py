import numpy as np
import torch
import torch.nn.functional as F
from nets import Decoder, Encoder, make_vocoder

encoder, decoder, vocoder = Encoder(), Decoder(), make_vocoder()


def train(loader, optimizer):
    encoder.train()
    decoder.train()
    for x, y in loader:
        optimizer.zero_grad()
        F.cross_entropy(decoder(encoder(x)), y).backward()
        optimizer.step()


@torch.no_grad()
def test(loader):
    encoder.eval()
    return [decoder(encoder(x)).argmax(1) for x, _ in loader]  # BUG


def synthesise(mel):
    vocoder.eval()
    audio = vocoder.incremental_forward(mel, softmax=True)  # BUG
    return np.abs(audio.data.cpu().numpy())


def run_epoch(net, batches, optimizer=None):
    total = 0.0
    for x, y in batches:
        loss = F.mse_loss(net(x), y)
        if optimizer is not None:
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        total += loss.item()
    return total


def fit(net, train_data, valid_data, optimizer):
    for _ in range(10):
        net.train()
        run_epoch(net, train_data, optimizer)
        net.eval()
        print(run_epoch(net, valid_data))  # BUG
