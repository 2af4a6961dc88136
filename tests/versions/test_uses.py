"""Which names of libraries are found in code."""

import ast
import sys

import pytest

from dpkb.versions.uses import UseFinder, needed_python


def find(code):
    return UseFinder(ast.parse(code), ["lib", "other"])


def names(code):
    return [use.question.name for use in find(code).uses]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import lib.a\nlib.a.f", {"lib.a", "lib.a.f"}),
        ("import lib.a as la\nla.f(1, k=2)", {"lib.a", "lib.a.f", "lib.a.f(k=)", "lib.a.f(1 positional arguments)"}),
        ("from lib import C as D\nD.make()", {"lib.C", "lib.C.make"}),
        ("from lib import C\nx = C()\nx.go(n=1)", {"lib.C", "lib.C.go", "lib.C.go(n=)"}),
        ("from lib import C\nC().go", {"lib.C", "lib.C.go"}),
        ("from lib import C\ndef f(C):\n    C.go", {"lib.C"}),
        ("from lib import C\nC = 1\nC.go", {"lib.C"}),
        ("from lib import C\nx = C()\nx = 2\nx.go", {"lib.C"}),
        ("from lib import f\nf(*many)", {"lib.f"}),
        ("from lib import f\nf(**many)", {"lib.f"}),
        ("from .lib import C\nC.go", set()),
        ("import torch\ntorch.go", set()),
        ("from lib import C\nclass D(C):\n    def run(self):\n        self.help(1)", {"lib.C", "lib.C.run", "lib.C.help", "lib.C.help(1 positional arguments)"}),
        ("from lib import C\nclass D(C):\n    def __init__(self):\n        self.mine = 1\n        self.mine.x", {"lib.C"}),
        ("from lib import C, B\nclass D(C, B):\n    def _f(self):\n        self.help", {"lib.C", "lib.B", "lib.C._f", "lib.B._f"}),
        ("from lib import C\nclass B(C):\n    def __init__(self):\n        self.mine = 1\nclass D(B):\n    def run(self):\n        self.mine.x", {"lib.C", "lib.C.run"}),
        ("try:\n    from lib import C\nexcept ImportError:\n    C = None", set()),
        ("import lib\nif lib.__version__ > '2':\n    lib.f()", {"lib", "lib.__version__"}),
        ("import lib\nif hasattr(lib, 'f'):\n    lib.f()", {"lib"}),
        ("import lib\ndef f():\n    import other as lib\n    lib.x", {"lib", "other", "other.x"}),
        ("import lib\ndef f(x=lib.a): ...", {"lib", "lib.a"}),
        ("import lib\n@lib.deco(k=1)\ndef f(): ...", {"lib", "lib.deco", "lib.deco(k=)"}),
    ],
)  # fmt: skip
def test_names_that_are_used(code, expected):
    assert set(names(code)) - {"lib.__version__"} == expected - {"lib.__version__"}


def test_what_is_not_seen_is_noted():
    finder = find(
        "from lib import *\nimport lib\ngetattr(lib, name)\ngetattr(lib, 'known')\nimport nothing_known"
    )
    assert finder.stars == [("lib", 1)]
    assert finder.built == [("lib", 3)]
    assert finder.others == {"nothing_known"}


def test_each_use_has_its_own_line():
    uses = find("from lib import (\n    A,\n    B,\n)\nA(\n    k=1,\n)").uses
    assert {(use.question.name, use.line) for use in uses} == {
        ("lib.A", 2), ("lib.A", 5), ("lib.B", 3), ("lib.A(k=)", 6)
    }  # fmt: skip


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("x = f'{1}'", None),
        ("if (n := 1): ...", "3.8"),
        ("def f(a, /): ...", "3.8"),
        ("match x:\n    case 1: ...", "3.10"),
        pytest.param("try: ...\nexcept* E: ...", "3.11", marks=pytest.mark.skipif(sys.version_info < (3, 11), reason="syntax")),
        pytest.param("def f[T](x: T): ...", "3.12", marks=pytest.mark.skipif(sys.version_info < (3, 12), reason="syntax")),
    ],
)  # fmt: skip
def test_the_python_that_the_syntax_needs(code, expected):
    found = needed_python(ast.parse(code), code)
    assert (found and found[0]) == expected
