# A logger that names its caller's caller, in a forward() with hooks.
# quick
import logging
import sys

import torch

logging.basicConfig(stream=sys.stdout, format="%(filename)s %(funcName)s %(message)s", level=logging.INFO)


class Net(torch.nn.Module):
    def forward(self, x):
        logging.info("forward is called from", stacklevel=2)
        return x


net = Net()
net(torch.ones(1))
net.register_forward_hook(lambda module, inputs, output: None)
logging.basicConfig(stream=sys.stdout, format="%(filename)s %(message)s", level=logging.INFO, force=True)
net(torch.ones(1))
