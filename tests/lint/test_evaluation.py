"""Where a model is evaluated: what switches its mode, and which functions evaluate."""

import pytest
from support.lint_file import file_of, last

from dpkb.lint import evaluation


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("nn.Dropout(0.5)", True),
        ("nn.BatchNorm2d(8)", True),
        ("nn.functional.dropout(x)", True),
        ("nn.LSTM(8, 8, 2, dropout=0.1)", True),
        ("nn.LSTM(8, 8, 2)", False),
        ("nn.Linear(8, 8)", False),
        ("import torchvision\ntorchvision.models.resnet18()", True),
        ("Dropout(0.5)", False),
        ("nn.TransformerEncoderLayer(8, 2)", True),
        ("nn.LayerNorm(8)", False),
    ],
)
def test_layers_that_behave_differently_in_training_mode(code, expected):
    assert evaluation.has_mode_layers(file_of(code)) is expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("model", True),
        ("model = nn.Linear(8, 8)\nmodel", False),
        ("model = nn.Dropout()\nmodel", True),
        ("model = nn.DataParallel(other)\nmodel", True),
        ("class Net(nn.Module):\n    pass\nmodel = Net()\nmodel", False),
        ("class Net(nn.Module):\n    pass\nmodel", False),
        ("import timm\nmodel = timm.create_model('x')\nmodel", True),
    ],
)
def test_whether_the_mode_matters(code, expected):
    file = file_of(code)
    assert evaluation.may_depend_on_mode(file, last(file)) is expected


def test_the_calls_that_switch_its_mode():
    file = file_of(
        "model.eval()\nself.net.eval()\nmodel.train()\nmodel.train(False)\ntorch.eval()\nget().eval()"
    )
    found = [name for name, _ in evaluation.find_mode_calls(file, file.tree.root, "eval")]
    assert found == ["model", "self.net"]
    assert [name for name, _ in evaluation.find_mode_calls(file, file.tree.root, "train")] == ["model"]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("def validate(x): pass", True),
        ("def train_step(x): pass", False),
        ("def run(x): pass", False),
        ("def accuracy(x):\n    with torch.no_grad(): pass\n    return x", True),
        ("def accuracy(x):\n    return x", False),
        ("def accuracy(x):\n    print(x)", True),
        ("def test_model(x): pass", True),
        ("def test_model(): pass", False),
    ],
)
def test_a_function_that_evaluates(code, expected):
    file = file_of(code)
    assert evaluation.evaluates(file, file.tree.functions[0]) is expected


@pytest.mark.parametrize(
    ("code", "inner", "outer", "expected"),
    [
        ("ddp = DDP(net)", "net", {"ddp"}, True),
        ("ddp = DDP(self.net, 1)", "self.net", {"ddp"}, True),
        ("ddp = DDP(other)", "net", {"ddp"}, False),
        ("", "net.head", {"net"}, True),
        ("", "net2.head", {"net"}, False),
        ("", "self.net", {"self"}, True),
    ],
)
def test_a_model_that_wraps_another(code, inner, outer, expected):
    assert evaluation.is_wrapped_by(file_of(code), inner, outer) is expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("model.eval()", False),
        ("for m in models:\n    m.eval()", True),
        ("models[0].eval()", True),
        ("get_model().eval()", True),
        ("self.eval()", True),
        ("torch.jit.load(x).eval()", False),
        ("model.set_eval_mode()", True),
        ("trainer.evaluate()", False),
        ("self.prep_eval(1)", True),
    ],
)
def test_an_eval_that_may_be_of_any_model(code, expected):
    assert evaluation.may_switch_any_model(file_of(code)) is expected
