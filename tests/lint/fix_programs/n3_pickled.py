import copy
import pickle

from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(2, 2), nn.Linear(2, 2)]


net = copy.deepcopy(Net())
print(type(net.layers).__name__, b"ModuleList" in pickle.dumps(net))
