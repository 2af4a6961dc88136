"""Cleared once, and stepped in each pass of a loop."""

import torch


def gan_function(G, D, steps):
    def train(x):
        G.optim.zero_grad()
        D.optim.zero_grad()
        for _ in range(steps):  # BUG
            for part in x:
                D(part).mean().backward()
            D.optim.step()
        G.optim.zero_grad()
        G(x).mean().backward()
        G.optim.step()

    return train
