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
    for network in (encoder, decoder):
        network.eval()
    return [decoder(encoder(x)).argmax(1) for x, _ in loader]


def synthesise(mel):
    vocoder.eval()
    with torch.no_grad():
        audio = vocoder.incremental_forward(mel, softmax=True)
    return np.abs(audio.data.cpu().numpy())


def saliency(image):
    vocoder.eval()
    image.requires_grad_()
    score = vocoder(image).max()
    return torch.autograd.grad(score, image)[0].detach()


def back_translation(x, y, optimize):
    decoder.eval()
    with torch.no_grad():
        x = decoder(x)
    decoder.train()
    loss = F.mse_loss(decoder(x), y)
    optimize(loss)
    return loss.item()


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
        with torch.no_grad():
            print(run_epoch(net, valid_data))
