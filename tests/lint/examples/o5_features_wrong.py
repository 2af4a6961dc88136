import sys

import torch
from nets import build


def load(path):
    net = build()
    net.load_state_dict(torch.load(path))
    return net.eval()


def features(net, loader):
    found = []
    for images in loader:
        found.append(net(images).data.cpu().numpy())  # BUG
    return found


if __name__ == "__main__":
    print(features(load(sys.argv[1]), []))
