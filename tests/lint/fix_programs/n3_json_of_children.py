import json

from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = {"a": nn.Linear(2, 2), "b": nn.Linear(2, 2)}


net = Net()
print(json.dumps([name for name, _ in net.named_modules()]), {**net.heads}.keys())
