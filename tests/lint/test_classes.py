"""The classes of a file: what they inherit, and what they are."""

import pytest
from support.lint_file import file_of

from dpkb.lint.classes import type_is_a

NN_MODULE = "torch.nn.Module"


@pytest.mark.parametrize(
    ("code", "wanted", "expected"),
    [
        ("class A(nn.Module): pass", NN_MODULE, True),
        ("class A(nn.Linear): pass", NN_MODULE, True),
        ("class B(nn.Module): pass\nclass A(B): pass", NN_MODULE, True),
        ("class A(Base): pass", NN_MODULE, False),
        ("class A(nn.Module[int]): pass", NN_MODULE, True),
        ("class A: pass", NN_MODULE, False),
        ("class A(torch.utils.data.IterableDataset): pass", "torch.utils.data.Dataset", True),
        ("class A(A): pass", NN_MODULE, False),
        ("class B(A): pass\nclass A(B): pass", NN_MODULE, False),
    ],
)
def test_a_class_is_a_subclass_of_its_library_class(code, wanted, expected):
    kind = file_of(code).definitions.classes["A"]
    assert kind.is_a(wanted) is type_is_a(kind, wanted) is expected
    assert type_is_a("torch.nn.Linear", wanted) is (wanted == NN_MODULE)


LAYERS = """
    def __init__(self):
        self.fc = nn.Linear(1, 1)
    def forward(self, x):
        return x
"""


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("class A(Unknown):\n" + LAYERS, True),
        ("class A:\n" + LAYERS, False),
        ("class A(object):\n" + LAYERS, False),
        ("import abc\nclass A(abc.ABC):\n" + LAYERS, False),
        ("class A(Unknown):\n" + LAYERS.replace("nn.Linear", "other"), False),
        ("class A(Unknown):\n" + LAYERS.replace("forward", "run"), False),
        ("class A(Unknown):\n" + LAYERS.replace("    def forward", "    @property\n    def forward"), False),
        ("class A(Unknown):\n" + LAYERS.replace("nn.Linear(1, 1)", "nn.Parameter(x)"), True),
    ],
)
def test_a_class_whose_base_is_in_no_file_may_behave_like_a_module(code, expected):
    assert file_of(code).definitions.classes["A"].is_a(NN_MODULE) is expected


def test_a_method_comes_from_the_class_or_its_nearest_base():
    file = file_of("""
        class Base(nn.Module):
            def forward(self, x): pass
            def step(self): pass
        class Net(Base):
            def forward(self, y): pass
    """)
    net, base = file.definitions.classes["Net"], file.definitions.classes["Base"]
    assert net.method("forward") is net.methods["forward"] and net.method("step") is base.methods["step"]
    assert net.method("missing") is None
    assert [one if isinstance(one, str) else one.name for one in net.ancestors] == ["Net", "Base", NN_MODULE]
    assert [method.args.args[-1].arg for method in net.all_methods] == ["y", "x", "self"]
