"""The functions and classes of a file, and which of them an expression names."""

import ast

import pytest
from support.lint_file import file_of, last, named

from dpkb.lint.nodes import text_of

NET = """
class Net(nn.Module):
    def __init__(self, size):
        self.fc, self.out = nn.Linear(8, 8), nn.Linear(8, 2)
        self.a, self.b = build()
        self.fc = nn.Identity()
        other.fc = 1

    def step(this, x):
        this.cache: list = []
        def inner():
            this.seen = x

    def forward(self, x):
        return self.step(x), x.step(x), step(x)

def step(x):
    def inner():
        return 1
    if x:
        return x
    return
"""


def test_the_attributes_of_a_class_are_those_that_any_method_assigns():
    attributes = file_of(NET).definitions.classes["Net"].attributes
    assert {
        name: [(method, text_of(value)) for method, value in values] for name, values in attributes.items()
    } == {
        "fc": [("__init__", "nn.Linear(8, 8)"), ("__init__", "nn.Identity()")],
        "out": [("__init__", "nn.Linear(8, 2)")],
        "a": [("__init__", "build()[0]")],
        "b": [("__init__", "build()[1]")],
        "seen": [("inner", "x")],
        "cache": [("step", "[]")],
    }


def test_the_function_that_a_call_names():
    file = file_of(NET)
    functions = {text_of(call): file.definitions.find_function(call.func) for call in file.tree.calls}
    net = file.definitions.classes["Net"]
    assert functions["self.step(x)"] is net.methods["step"]
    assert functions["step(x)"] is file.tree.functions[-2] and functions["step(x)"].name == "step"
    assert functions["x.step(x)"] is None and functions["build()"] is None


def test_the_returns_of_an_inner_function_do_not_count():
    file = file_of(NET)
    assert [text_of(value) for value in file.definitions.find_returns(named(file, "step(x)"))] == ["x"]
    assert file.definitions.find_returns(named(file, "build()")) == []


def test_the_class_around_a_node_and_the_class_of_self():
    file = file_of(NET)
    net = file.definitions.classes["Net"]
    (seen,) = [node for node in file.tree.nodes(ast.Attribute) if node.attr == "seen"]
    assert file.definitions.class_of(seen) is net and file.definitions.class_of_self(seen.value) is net
    assert file.definitions.class_of_self(file.tree.statement_of(seen).value) is None
    assert file.definitions.class_of(file.tree.functions[-2]) is None
    assert file.definitions.class_of_method(net.methods["step"]) is net
    assert file.definitions.class_of_method(file.tree.functions[-2]) is None


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("class A: pass\nA", "A"),
        ("class A: pass\nB = A\nB", None),
        ("nn.Linear", None),
        ("A", None),
        ("from other import A\nA", None),
        ("class A: pass\nf().A", None),
    ],
)
def test_the_class_that_an_expression_names(code, name):
    file = file_of(code)
    found = file.definitions.find_class(last(file))
    assert (found and found.name) == name


def test_the_functions_that_are_called_in_a_tree():
    file = file_of("def f(): pass\ndef g():\n    f()\n    other()\n    f\nh = 1")
    assert [one.name for one in file.definitions.find_called_functions(file.tree.functions[1])] == ["f"]
