# Samples of different sizes cannot be stacked: the complete traceback of the uncaught error and the exit code.
# ends: 1
import torch
from torch import nn
from torch.utils.data import DataLoader

torch.manual_seed(0)
torch.set_num_threads(1)


def crop(sample):
    return sample[: int(sample.sum())]


def collate(samples):
    return torch.stack([crop(s) for s in samples])


net = nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for x in DataLoader([torch.ones(2), torch.ones(2), torch.ones(2), torch.ones(3)], batch_size=2, collate_fn=collate):
    opt.zero_grad()
    loss = net(x).sum()
    loss.backward()
    opt.step()
    print(x.tolist())
