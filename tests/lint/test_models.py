"""Which expressions are models, and which calls run them."""

import pytest
from support.lint_file import file_of, last

from dpkb.lint import models
from dpkb.lint.nodes import text_of


@pytest.mark.parametrize(
    ("code", "is_nn_module", "looks_like_model"),
    [
        ("layer = nn.Linear(1, 1)\nlayer", True, True),
        ("encoder.parameters()\nencoder", True, True),
        ("model", False, True),
        ("self.net", False, True),
        ("netG", False, True),
        ("models['a']", False, True),
        ("encoder", False, False),
        ("self.parameters()\nself", False, False),
        ("torch.model", False, False),
        ("loss = nn.MSELoss()\nloss", True, False),
        ("criterion.eval()\ncriterion", True, False),
    ],
)
def test_a_module_by_its_class_its_use_or_its_name(code, is_nn_module, looks_like_model):
    file = file_of(code)
    assert models.is_nn_module(file, last(file)) is is_nn_module
    assert models.looks_like_model(file, last(file)) is looks_like_model


@pytest.mark.parametrize(
    ("code", "model"),
    [
        ("net.encoder.parameters()", "net.encoder"),
        ("net.parameters", ""),
        ("parameters()", ""),
        ("net.named_parameters()", ""),
    ],
)
def test_the_model_whose_parameters_are_taken(code, model):
    assert text_of(models.model_of_parameters(last(file_of(code)))) == model


def test_the_methods_that_forward_reaches():
    file = file_of("""
        class Base(nn.Module):
            def forward(self, x):
                return self.first(x)
            def shared(self):
                self.second()
        class Net(Base):
            def first(self, x):
                return self.shared()
            def second(self):
                self.forward(1)
            def other(self):
                self.first(1)
        class Empty(nn.Module):
            def first(self, x): ...
    """)
    names = {
        name: [method.name for method in models.find_methods_of_forward(info)]
        for name, info in file.definitions.classes.items()
    }
    assert names == {"Base": ["forward"], "Net": ["first", "second"], "Empty": []}


def test_the_calls_that_run_a_model():
    file = file_of(
        "model(x)\nmodel.forward(x)\nmodel.module.x(1)\nother(x)\nmodel.forward_features(x)\n"
        "forward_step(model, x)\nmodel.infer(x)\nmodel.eval()\nself.model(x)"
    )
    assert [text_of(call) for call in models.runs_of(file, file.tree.root, "model")] == [
        "model(x)",
        "model.forward(x)",
        "model.forward_features(x)",
        "forward_step(model, x)",
        "model.infer(x)",
    ]
    assert [text_of(call) for call in models.runs_of(file, file.tree.root, "self.model")] == ["self.model(x)"]


@pytest.mark.parametrize(
    ("code", "model"),
    [
        ("y = model(x)", "model"),
        ("self.net.forward(x)", "self.net"),
        ("models['a'](x)", "models['a']"),
        ("f(x)\nencoder(x)\nencoder.eval()", "encoder"),
        ("forward_step(net, x)", "net"),
        ("criterion = nn.CrossEntropyLoss()\ncriterion(x)", None),
        ("net_loss(x)", None),
        ("torch.model(x)", None),
        ("def step(x):\n    return model(x)\nstep(x)", "model"),
        ("layer = nn.Linear(1, 1)\nlayer(x)", "layer"),
        ("print(x)", None),
        ("data['a'](x)", None),
    ],
)
def test_the_model_that_is_called(code, model):
    file = file_of(code)
    assert text_of(models.find_model_run_by(file, file.tree.root)) == (model or "")


def test_a_call_in_a_helper_counts_only_if_wanted():
    file = file_of("def step(x):\n    return model(x)\ndef train():\n    step(x)")
    train = file.tree.functions[1]
    assert text_of(models.find_first_model_call(file, train)) == "step(x)"
    assert models.find_first_model_call(file, train, into_helpers=False) is None


def test_a_class_with_an_unknown_base_may_be_a_module():
    file = file_of(
        "class A(nn.Module): pass\nclass C: pass\nclass B(Base):\n    def forward_once(self, x): pass"
    )
    assert {"A", "B"} == {
        name for name, info in file.definitions.classes.items() if models.class_may_be_nn_module(info)
    }


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("nn.Sequential(nn.Linear(1, 1), nn.BatchNorm1d(1))", True),
        ("nn.Linear(1, 1)", False),
        ("import torchvision\ntorchvision.models.resnet18()", True),
        ("model", False),
        ("import timm\nnet = timm.create_model('x')\nnet.backbone", True),
        (
            "class Net(nn.Module):\n    def __init__(self):\n        self.norm = nn.BatchNorm2d(3)\nNet()",
            True,
        ),
        ("class Net(nn.Module):\n    def __init__(self):\n        self.norm = nn.LayerNorm(3)\nNet()", False),
    ],
)
def test_a_model_that_may_have_batch_norm(code, expected):
    file = file_of(code)
    assert models.may_have_batch_norm(file, last(file)) is expected
