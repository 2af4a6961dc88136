"""The error is raised in a process whose exit code is printed."""
import multiprocessing

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def forward(self, x):
        out = torch.relu(self.fc(x))
        out += 1
        return out


def train():
    Net()(torch.ones(1, 2)).sum().backward()


if __name__ == "__main__":
    process = multiprocessing.get_context("fork").Process(target=train)
    process.start()
    process.join()
    print(process.exitcode)
