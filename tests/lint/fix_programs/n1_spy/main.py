import torch
from net import Net

net = Net()
net.encoder.register_forward_hook(lambda *_: print("encoder ran"))
print(net(torch.ones(1, 2)).shape)
