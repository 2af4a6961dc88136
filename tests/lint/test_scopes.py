"""What a name stands for: an import, and the places in its scope where it gets a value."""

import ast

import pytest
from support.lint_file import file_of, last

from dpkb.lint.nodes import text_of


def bindings(code):
    """The bindings of the name in the last line, as (value, index, is_item)."""
    file = file_of(code)
    return [(text_of(one.value), one.index, one.is_item) for one in file.scopes.bindings(last(file))]


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("nn.functional.cross_entropy(a, b)", "torch.nn.functional.cross_entropy"),
        ("import torch.nn.functional as F\nF.cross_entropy(a, b)", "torch.nn.functional.cross_entropy"),
        ("loss = nn.functional.cross_entropy\nloss(a, b)", "torch.nn.functional.cross_entropy"),
        ("from utils import *\nF.relu(x)", "torch.nn.functional.relu"),
        ("from utils import *\nF = x\nF.relu(x)", ""),
        ("from .utils import build\nbuild()", "utils.build"),
        ("from . import build\nbuild()", "build"),
        ("import a.b.c\na.b.c.d()", "a.b.c.d"),
        ("loss = nn.functional.l1_loss\nloss = other\nloss(a, b)", ""),
        ("def nn(x):\n    pass\n\nhelper.relu(x)", ""),
        ("build().relu(x)", ""),
    ],
)
def test_a_call_has_the_full_name_of_the_library_s_function(code, name):
    file = file_of(code)
    assert file.scopes.callee(last(file)) == name


def test_an_alias_within_a_function():
    file = file_of("def f(x):\n    squash = torch.sigmoid\n    return squash(x)\nsquash(1)")
    assert [file.scopes.callee(call) for call in file.tree.calls] == ["torch.sigmoid", ""]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("a = 1\na = 2\na", [("1", None, False), ("2", None, False)]),
        ("a, (b, c), *d = f()\na", [("f()", 0, False)]),
        ("a, (b, [self.x, c]), *d = f()\nc", [("", None, False)]),
        ("a, *d = f()\nd", [("", None, False)]),
        ("with f() as (a, (b, c)): pass\nc", [("", None, False)]),
        ("self.a, (self.b, c) = f()\nself", []),
        ("a = b = f()\nb", [("f()", None, False)]),
        ("a: int = 3\na += 4\na", [("3", None, False), ("", None, False)]),
        ("if (a := f()): pass\na", [("f()", None, False)]),
        ("for i, (a, b) in enumerate(x): pass\nb", [("enumerate(x)", None, True)]),
        ("[a for a in x]\na", [("x", None, True)]),
        ("with open(x) as a, f() as (b, c): pass\na", [("open(x)", None, False)]),
        ("with f() as (b, c): pass\nc", [("f()", 1, False)]),
        ("def a(): pass\na", [("", None, False)]),
        ("unknown", []),
    ],
)
def test_the_bindings_of_a_name(code, expected):
    assert bindings(code) == expected


def in_function(code):
    """The values that the names of the only return statement may have."""
    file = file_of(code)
    (returned,) = file.tree.nodes(ast.Return)
    return [text_of(one.value) or type(one.node).__name__ for one in file.scopes.bindings(returned.value)]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("a = 1\ndef f():\n    return a", ["1"]),
        ("a = 1\ndef f():\n    a = 2\n    return a", ["2"]),
        ("a = 1\ndef f(a):\n    return a", ["arg"]),
        ("a = 1\ndef f(*, a=None):\n    return a", ["arg"]),
        ("a = 1\ndef f(*a):\n    return a", ["arg"]),
        ("a = 1\ndef f(**a):\n    return a", ["arg"]),
        ("def f(b, a=g()):\n    return a", ["arg", "g()"]),
        ("def f(b, *, a=g()):\n    return a", ["arg", "g()"]),
        ("a = 1\nclass Net:\n    a = 2\n    def f(self):\n        return a", ["1"]),
        ("a = 1\ndef f():\n    def g():\n        a = 2\n    return a", ["1"]),
        ("def f():\n    a = 1\n    def g():\n        return a", ["1"]),
        ("a = 1\ndef f():\n    b, (c, a) = g()\n    return a", ["Assign"]),
    ],
)
def test_the_nearest_scope_that_binds_a_name_counts(code, expected):
    assert in_function(code) == expected


def test_the_names_of_a_class_body_are_seen_in_it():
    file = file_of("class Net:\n    size = 8\n    layer = f(size)")
    (call,) = file.tree.calls
    assert [text_of(one.value) for one in file.scopes.bindings(call.args[0])] == ["8"]


def test_calls_by_name():
    file = file_of("nn.Linear(1, 2)\nlayer = nn.Linear\nlayer(3, 4)\nx.step()\nstep()")
    assert [text_of(call) for call in file.scopes.calls_of("torch.nn.Linear", "torch.nn.ReLU")] == [
        "nn.Linear(1, 2)",
        "layer(3, 4)",
    ]
    assert [text_of(call) for call in file.scopes.method_calls("step")] == ["x.step()"]
    assert [text_of(call) for call in file.scopes.calls_by_name["step"]] == ["x.step()", "step()"]


@pytest.mark.parametrize(
    ("code", "number"),
    [("a = 1\na", 1), ("a = 1\na = 2\na", 2), ("[a for a in b]\na", 0), ("for a in b: pass\na", 1)],
)
def test_the_bindings_in_one_scope_are_without_comprehensions(code, number):
    file = file_of(code)
    assert len(file.scopes.bindings_in(file.tree.root, "a")) == number


@pytest.mark.parametrize(
    ("code", "has_one"),
    [
        ("a = 1\na", True),
        ("a = 1\na = 2\na", False),
        ("a = 1\ndel a\na", False),
        ("a = 1\nimport a\na", False),
        ("a = 1\ndef f():\n    global a\n    a = 2\na", False),
        ("b = 1\na", False),
    ],
)
def test_a_name_that_gets_its_value_in_only_one_place(code, has_one):
    file = file_of(code)
    assert (file.scopes.only_binding(last(file)) is not None) is has_one


def test_the_names_that_a_file_binds():
    file = file_of("import a\ndef b(c):\n    d = e")
    assert [name for name in "abcdef" if file.scopes.is_bound(name)] == ["a", "b", "c", "d"]
