"""Training in a file: its steps, its modules, and the names that say training or evaluation."""

import ast

import pytest
from support.lint_module import last, module_of

from dpkb.lint import training
from dpkb.lint.syntax import text_of
from dpkb.lint.training import is_training_name


def test_a_training_step_is_the_innermost_loop_or_the_function():
    module = module_of("""
        def train():
            for epoch in range(9):
                for x in DataLoader(data):
                    optimizer.zero_grad()
                    a(x).backward()
                    b(x).backward()
        def step(x):
            c(x).backward()
        class Square(torch.autograd.Function):
            def backward(ctx, gradient):
                return gradient.backward()
    """)
    steps = training.training_steps(module)
    assert [step.block.lineno for step in steps] == [node.lineno for node in (
        module.loops[1], module.functions[1])]
    assert [text_of(call) for call in steps[0].calls("zero_grad", "backward")] == [
        "optimizer.zero_grad()", "a(x).backward()", "b(x).backward()"]
    assert steps[0].loader and steps[1].loader is None


@pytest.mark.parametrize(("name", "expected"), [
    ("train_loader", True), ("trainset", True), ("TrainDataset", True), ("training_step", True),
    ("val_loader", False), ("valset", False), ("val2", False), ("testloader", False), ("TestDataset", False),
    ("evaluate_model", False), ("run_inference", False), ("train_or_val", False), ("dev_dl", False),
    ("device", None), ("value", None), ("valley", None), ("constraint", None), ("latest", None),
    ("loader", None),
])
def test_what_a_name_says(name, expected):
    assert is_training_name(name) is expected


def test_self_is_the_first_parameter():
    module = module_of("class A:\n    def f(this, x):\n        this.a, x.b, this.c.d\ndef g(): pass")
    method, function = module.functions
    found = {text_of(node): training.self_attribute(node, method) for node in module.nodes(ast.Attribute)}
    assert found == {"this.a": "a", "x.b": "", "this.c.d": "", "this.c": "c"}
    assert training.self_name(function) == ""


def test_the_functions_that_are_called_in_a_tree():
    module = module_of("def f(): pass\ndef g():\n    f()\n    other()\n    f\nh = 1")
    assert [one.name for one in training.called_functions(module, module.functions[1])] == ["f"]


@pytest.mark.parametrize(("code", "expected"), [
    ("nn.Sequential(nn.Linear(1, 1), nn.BatchNorm1d(1))", True), ("nn.Linear(1, 1)", False),
    ("import torchvision\ntorchvision.models.resnet18()", True), ("model", False),
    ("import timm\nnet = timm.create_model('x')\nnet.backbone", True),
    ("class Net(nn.Module):\n    def __init__(self):\n        self.norm = nn.BatchNorm2d(3)\nNet()", True),
    ("class Net(nn.Module):\n    def __init__(self):\n        self.norm = nn.LayerNorm(3)\nNet()", False),
])
def test_a_model_that_may_have_batch_norm(code, expected):
    module = module_of(code)
    assert training.may_have_batch_norm(module, last(module)) is expected
