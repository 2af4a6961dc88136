"""Which values end in a softmax, a sigmoid or a linear layer."""

import pytest
from support.lint_file import file_of, last, named

from dpkb.lint.final_layers import find_final_layer, find_final_layer_of_item
from dpkb.lint.nodes import text_of

NET = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.out = nn.Linear(8, 8), nn.Softmax(dim=1)
    def forward(self, x):
        x = self.fc(x)
        x = x.relu()
        return {returned}
net = Net()
"""


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("torch.softmax(x, 1)", "softmax"),
        ("torch.sigmoid(x)", "sigmoid"),
        ("x.softmax(1)", "softmax"),
        ("nn.functional.softmax(x, 1).view(-1)", "softmax"),
        ("nn.Softmax(dim=1)(x)", "softmax"),
        ("p = torch.softmax(x, 1)\nq = p.float().cpu()\nq", "softmax"),
        ("nn.Linear(1, 1)(x)", "linear"),
        ("torch.exp(torch.log_softmax(x, 1))", "softmax"),
        ("torch.exp(nn.LogSoftmax(1)(x))", "softmax"),
        ("net = nn.Sequential(nn.Linear(1, 1), nn.Softmax(1))\nnet(x)", "softmax"),
        (
            "net = nn.Sequential(nn.Linear(1, 1))\nnet.add_module('p', nn.Sigmoid())\nnet.forward(x)",
            "sigmoid",
        ),
        ("def build():\n    return nn.Sequential(nn.Softmax(1))\nbuild()(x)", "softmax"),
        ("def f(x):\n    return torch.sigmoid(x)\nf(x)", "sigmoid"),
        (NET.format(returned="self.out(x)") + "net(x)", "softmax"),
        (NET.format(returned="self.fc(x)") + "net(x)", "linear"),
        ("p = torch.sigmoid(x) if a else torch.sigmoid(y)\np", "sigmoid"),
    ],
)
def test_the_final_layer_of_a_value(code, kind):
    file = file_of(code)
    for asked in ("softmax", "sigmoid", "linear"):
        assert (find_final_layer(file, last(file), asked) is not None) is (asked == kind), asked


@pytest.mark.parametrize(
    "code",
    [
        "x",
        "unknown(x)",
        "torch.exp(x)",
        "torch.softmax(x, 1) + 1",
        "torch.softmax(x, 1).log()",
        "p = torch.softmax(x, 1) if a else x.mean()\np",
        "net = nn.Sequential(nn.Softmax(1), nn.ReLU())\nnet(x)",
        "def f(x):\n    if a:\n        return x\n    return torch.softmax(x, 1)\nf(x)",
        "act = nn.Softmax(dim=1) if a else nn.Identity()\nact(x)",
        "act = nn.Sigmoid() if a else None\nact(x)",
        "net = nn.Sequential(nn.Linear(1, 1), nn.Softmax(1)) if a else nn.Sequential(nn.ReLU())\nnet(x)",
        "def build():\n    if a:\n        return build()\n    return nn.Sequential(nn.Softmax(1))\nbuild()(x)",
        NET.format(returned="x") + "net(x)",
        "def f(x):\n    return f(x)\nf(x)",
    ],
)
def test_a_value_without_a_known_final_layer(code):
    file = file_of(code)
    assert all(find_final_layer(file, last(file), kind) is None for kind in ("softmax", "sigmoid", "linear"))


def test_the_reported_place_is_that_of_the_layer():
    file = file_of(NET.format(returned="self.out(x)") + "net(x)")
    owner, node = find_final_layer(file, last(file), "softmax")
    assert owner is file and text_of(node) == "self.out(x)"


def test_the_final_layer_of_an_item_that_forward_returns():
    called = "label, validity = net(x)\nlabel, validity"
    file = file_of(NET.format(returned="self.fc(x), self.out(x)") + called)
    label, validity = last(file).elts
    assert find_final_layer_of_item(file, validity, "softmax")
    assert find_final_layer_of_item(file, label, "linear")
    assert find_final_layer_of_item(file, label, "softmax") is None
    assert find_final_layer_of_item(file, named(file, "net"), "softmax") is None
