import sys

import torch
from nets import Classifier, Colours


def load(path):
    model = Classifier()
    model.load_state_dict(torch.load(path))
    return model  # whoever gets it decides


def answer(network, x):
    with torch.no_grad():
        return network(x).softmax(1).argmax(1)


colours = Colours()
colours.load_state_dict(torch.load("colours.pt"))
colours.eval()
print(answer(colours, torch.tensor([float(value) for value in sys.argv[1:]])))
