"""Programs that cannot observe a rewrite, and what makes one more than that."""

import pytest
from support.lint_file import file_of

PLAIN = """import sys
import torch.nn.functional as F
from torch import nn
class Net(nn.Module):
    def __init__(self, width: int = 2):
        super().__init__()
        self.layer, self.width = nn.Linear(width, 2), width
    def forward(self, x):
        return F.relu(self.layer(x)) * self.width
class Wide(Net):
    pass
@torch.no_grad()
def run(net, steps):
    for item in range(steps):
        x = torch.ones(item, 2)
        with torch.no_grad():
            print(f"{net(x).sum().item():.2f}", [row.mean() for row in net(x)])
    return {"steps": steps}
if __name__ == "__main__":
    run(Wide(width=2), steps=3)
    sys.exit(0)
"""


def test_a_program_that_only_computes_and_prints_is_plain():
    assert file_of(PLAIN).is_plain_program


@pytest.mark.parametrize(
    "more",
    [
        "try:\n    run(Net(), 1)\nexcept RuntimeError:\n    pass",
        "for run in [1]:\n    print(run.__dict__)",
        "with open('x'):\n    pass",
        "with torch.no_grad() as context:\n    pass",
        "act = lambda x: x",
        "def numbers():\n    yield 1",
        "def outer():\n    def inner():\n        pass",
        "def grow():\n    global steps\n    steps = 1",
        "x = 1\ndel x",
        "import gc",
        "import torch.fx",
        "from torch import *",
        "from torch import jit",
        "from .math import exp",
        "def load():\n    import json",
        "from torch import exp\nfrom math import exp",
        "torch = 1",
        "F.relu = print",
        "[0 for F.relu in [print]]",
        "act = torch.relu",
        "def print(x):\n    pass",
        "net = Net()\nnet.layer = None",
        "net = Net()\nnet.register_forward_hook(print)",
        "print(torch.ones(1).grad_fn)",
        "torch.jit.script(Net())",
        "print(getattr(Net(), 'layer'))",
        "x = y",
        "sys.path.append('lib')",
        "print(Net.forward(1, 2))",
        "Other = Net",
        "print(torch.ones(1), collate_fn=sys)\ncollate_fn = 1",
        "class Thin(Net):\n    def layer(self, x):\n        return 1",
        "class Thin(Net):\n    layer = 1",
        "class Thin(Net):\n    run = print\nclass Other:\n    def run(self, x):\n        pass",
        "def make(collate_fn):\n    pass\ndef build(make):\n    make(collate_fn=1)\nbuild(DataLoader)",
        "make = DataLoader\nmake(run, collate_fn=1)",
        "class Own:\n    def grad_fn(self):\n        pass\nprint(torch.ones(1).grad_fn)",
        "class Own(Net):\n    def forward(self):\n        self._modules = {}",
        "@property\ndef size(self):\n    return 1",
        "class Own(torch.Tensor):\n    pass",
        "class Own(nn.Module, metaclass=type):\n    pass",
        "class Loud(nn.Module):\n    def __call__(self, x):\n        return x",
        "class Loss:\n    def backward(self):\n        pass",
        "class Loss:\n    def forward(self):\n        self.next = 1",
        "class Loss:\n    detach = print",
        "class Own:\n    pass\ndef Own():\n    pass",
        "torch.ones(1, 2, 3, 4, 5, 6, 7)",
        "torch.ones(*[1])",
        "torch.ones(1, out=x)",
    ],
)
def test_a_program_with_anything_that_may_observe_a_rewrite_is_not_plain(more):
    assert not file_of(PLAIN + more).is_plain_program
