# The graph is used twice: the complete traceback of the uncaught error in backward, with its exit code, after a step.
# ends: 1
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


def train(loss, opt):
    opt.zero_grad()
    loss.backward()
    opt.step()


net = nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
shared = net(torch.ones(1, 2)).exp()
for step in range(2):
    print(step)
    train(shared.sum() * (step + 1), opt)
