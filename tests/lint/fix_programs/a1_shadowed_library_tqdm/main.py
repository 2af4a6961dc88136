import torch
from torch import nn
from tqdm import trange


class Net(nn.Module):
    def forward(self, x):
        out = torch.exp(x)
        out += 1
        return out


for _ in trange(2):
    print(Net()(torch.zeros(2)))
