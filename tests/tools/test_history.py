"""What is read from wheels: two releases made by hand, and the answer of each."""

import json
import subprocess
import sys

import pytest
from support.wheels import make_wheel, read_history, read_state, signs

from dpkb.versions.history import Question
from tools import history_proof
from tools.wheel_names import Archive, Package

LAZY = """
import sys
from typing import TYPE_CHECKING
_import_structure = {"models.bert": ["Bert"]}
try:
    if not is_torch_available():
        raise ImportError
except ImportError:
    pass
else:
    _import_structure["trainer"] = ["Trainer"]
    _import_structure["trainer"].append("Seq2SeqTrainer")
if TYPE_CHECKING:
    from .typed import Typed
else:
    sys.modules[__name__] = _LazyModule(__name__, globals()["__file__"], _import_structure)
"""
SCANNED = """
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from .models import *
else:
    import sys
    sys.modules[__name__] = _LazyModule(__name__, globals()["__file__"], define_import_structure(f"models"))
    _create_module_alias(f"{__name__}.old_utils", ".utils")
    for file in files:
        _create_module_alias(f"{__name__}.models.{file}_fast", file)
"""
LAZY_CLASS = """
class _LazyModule(ModuleType):
    def __getattr__(self, name):
        if name.endswith("TokenizerFast"):
            return getattr(self, name[:-4])
"""
RENAMING = """
import functools
def rename(old, new):
    def wrapper(func):
        @functools.wraps(func)
        def inner(*args, **kwargs):
            if old in kwargs:
                kwargs[new] = kwargs.pop(old)
            return func(*args, **kwargs)
        return inner
    return wrapper
"""
PASSING = """
import functools
def fills_in(func):
    @functools.wraps(func)
    def inner(self, *args, **kwargs):
        kwargs = dict(list(DEFAULTS.items()) + list(kwargs.items()))
        return func(self, **kwargs)
    return inner
"""


def test_a_name_that_comes_and_one_that_goes(tmp_path):
    history = read_history(
        tmp_path,
        {
            "1.0.0": {"__init__.py": "def old(a): ...\ndef kept(): ...\n"},
            "1.1.2": {"__init__.py": "def new(a): ...\ndef kept(): ...\n"},
        },
    )
    assert signs(history, "lib.old") == "10"
    assert signs(history, "lib.new") == "01"
    assert signs(history, "lib.kept") == "11"


@pytest.mark.parametrize(
    ("before", "after", "question", "expected"),
    [
        ("def f(a, b=1): ...", "def f(a, c=1): ...", {"keyword": "b"}, "10"),
        ("def f(a, b=1): ...", "def f(a, **config): ...", {"keyword": "b"}, "1?"),
        ("def f(a, b): ...", "def f(a, *, b): ...", {"positional": 2}, "10"),
        ("def f(a, b): ...", "def f(*args): ...", {"positional": 2}, "1?"),
        ("def f(a): ...", "def f(a, /): ...", {"keyword": "a"}, "10"),
        ("def f(a): ...", "from elsewhere import decorate\n@decorate\ndef f(): ...", {"keyword": "a"}, "1?"),
        (
            "def f(a): ...",
            "def f(a):\n    '''Doc.'''\n    raise RuntimeError('use g()')",
            {"called": True},
            "1r",
        ),
        ("def f(a): ...", "def f(a):\n    raise RuntimeError('use g()')", {}, "11"),
        ("def f(a): ...", "def f(a):\n    raise NotImplementedError", {"called": True}, "11"),
        ("f = 1", "def __getattr__(name):\n    if name == 'f': return 1", {}, "1?"),
        ("f = 1", "def __getattr__(name):\n    if name == 'g': return 1", {}, "10"),
        ("f = 1", "def __getattr__(name):\n    return getattr(other, name)", {}, "1?"),
        (
            "f = 1",
            "T = {'f': 'gone'}\ndef __getattr__(n):\n    if n in T:\n        raise AttributeError(T[n])",
            {},
            "10",
        ),
        ("f = 1", "from elsewhere import *", {}, "1?"),
        ("f = 1", "globals()['f'] = 1", {}, "1?"),
        ("f = 1", "exec(text)", {}, "1?"),
        ("f = 1", "try:\n    import f\nexcept ImportError:\n    pass", {}, "1?"),
        ("f = 1", "try:\n    import f\nexcept ImportError:\n    f = None", {}, "11"),
        ("f = 1", "if is_torch_available():\n    f = 1", {}, "11"),
        ("f = 1", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    f = 1", {}, "10"),
        ("f = 1", "f = 1\ndel f", {}, "10"),
    ],
)
def test_traps_of_functions_and_modules(tmp_path, before, after, question, expected):
    releases = {"1.0.0": {"__init__.py": before + "\n"}, "1.1.0": {"__init__.py": after + "\n"}}
    assert signs(read_history(tmp_path, releases), "lib.f", **question) == expected


@pytest.mark.parametrize(
    ("after", "question", "expected"),
    [
        ("class C:\n    def __init__(self, b): ...", {"keyword": "a"}, "10"),
        ("class C:\n    def __init__(self, **kwargs): ...", {"keyword": "a"}, "1?"),
        ("class Base:\n    def __init__(self, a): ...\nclass C(Base): ...", {"keyword": "a"}, "11"),
        ("class Base:\n    def __init__(self, b): ...\nclass C(Base): ...", {"keyword": "a"}, "10"),
        ("import other\nclass C(other.Base): ...", {"keyword": "a"}, "1?"),
        ("class M(type): ...\nclass C(metaclass=M):\n    def __init__(self): ...", {"keyword": "a"}, "1?"),
        (
            "class B:\n    def __init_subclass__(c): ...\nclass C(B):\n    def __init__(self): ...",
            {"keyword": "a"},
            "1?",
        ),
        ("from dataclasses import dataclass\n@dataclass\nclass C:\n    a: int = 1", {"keyword": "a"}, "11"),
        ("from dataclasses import dataclass\n@dataclass\nclass C:\n    b: int = 1", {"keyword": "a"}, "10"),
        (
            "from dataclasses import dataclass\n@dataclass\nclass B:\n    a: int = 1\n@dataclass\nclass C(B):\n    b: int = 1",
            {"keyword": "a"},
            "11",
        ),
        (
            "from dataclasses import dataclass, field\n@dataclass\nclass C:\n    a: int = field(init=False)",
            {"keyword": "a"},
            "10",
        ),
    ],
)
def test_traps_of_classes(tmp_path, after, question, expected):
    before = "class C:\n    def __init__(self, a): ...\n"
    releases = {"1.0.0": {"__init__.py": before}, "1.1.0": {"__init__.py": after + "\n"}}
    assert signs(read_history(tmp_path, releases), "lib.C", called=True, **question) == expected


@pytest.mark.parametrize(
    ("after", "on_instance", "expected"),
    [
        ("class C: ...", True, "10"),
        ("class C:\n    def __init__(self):\n        self.hook, self.b = 1, 2", True, "11"),
        ("class C:\n    def __getattr__(self, name): ...", True, "1?"),
        ("class C:\n    def __getattr__(self, name): ...", False, "10"),
        ("class B:\n    def hook(self): ...\nclass C(B): ...", False, "11"),
        ("from elsewhere import B\nclass C(B): ...", False, "1?"),
        ("import abc\nclass C(abc.ABC): ...", False, "10"),
    ],
)
def test_traps_of_members(tmp_path, after, on_instance, expected):
    before = "class C:\n    def hook(self): ...\n"
    releases = {"1.0.0": {"__init__.py": before}, "1.1.0": {"__init__.py": after + "\n"}}
    assert signs(read_history(tmp_path, releases), "lib.C.hook", on_instance=on_instance) == expected


def test_an_exported_name_follows_its_definition_when_that_moves(tmp_path):
    history = read_history(
        tmp_path,
        {
            "1.0.0": {
                "__init__.py": "from .a import C\n",
                "a.py": "class C:\n    def __init__(self, x): ...\n",
            },
            "1.1.0": {
                "__init__.py": "from .b import *\n",
                "b.py": "class C:\n    def __init__(self, y): ...\n",
            },
        },
    )
    assert signs(history, "lib.C") == "11"
    assert signs(history, "lib.C", called=True, keyword="x") == "10"
    assert signs(history, "lib.a") == "10"
    assert signs(history, "lib.a.C") == "10"


def test_names_of_a_lazy_module_are_those_of_its_structure(tmp_path):
    files = {
        "__init__.py": LAZY,
        "typed.py": "class Typed: ...\n",
        "trainer.py": "class Trainer:\n    def __init__(self, model): ...\nclass Seq2SeqTrainer(Trainer): ...\n",
        "models/__init__.py": "",
        "models/bert.py": "class Bert: ...\n",
    }
    history = read_history(tmp_path, {"1.0.0": {"__init__.py": "x = 1\n"}, "1.1.0": files})
    for name in ("Bert", "Trainer", "Seq2SeqTrainer", "Typed"):
        assert signs(history, f"lib.{name}") == "01", name
    assert signs(history, "lib.x") == "10"


def test_a_lazy_module_has_what_is_in_the_files_below_it_and_what_it_gives_by_itself(tmp_path):
    one = "__all__ = ['One']\nclass One: ...\nclass Hidden: ...\ndef __getattr__(n): return getattr(x, n)\n"
    files = {
        "__init__.py": SCANNED,
        "utils/import_utils.py": LAZY_CLASS,
        "models/__init__.py": "",
        "models/one.py": one,
        "models/modeling_tf_two.py": "__all__ = ['TwoTF']\nclass TwoTF:\n    def __init__(self, a): ...\n",
        "models/deprecated/three.py": "__all__ = ['Three']\nclass Three: ...\n",
        "models/computed.py": "__all__ = make()\nclass Four: ...\n",
    }
    names = ("One", "TwoTF", "Three", "Hidden", "Gone", "MyTokenizerFast", "old_utils")
    first = "".join(f"class {name}: ...\n" for name in names)
    history = read_history(tmp_path, {"1.0.0": {"__init__.py": first}, "1.1.0": files})
    assert {name: signs(history, f"lib.{name}") for name in names} == {
        "One": "11", "TwoTF": "11", "Three": "11", "Hidden": "10", "Gone": "10", "MyTokenizerFast": "1?", "old_utils": "1?"
    }  # fmt: skip


def test_decorators_that_rename_and_that_pass_on(tmp_path):
    files = {
        "__init__.py": "from .d import rename\nfrom .p import fills_in\n"
        "@rename('old', 'new')\ndef f(new=1): ...\n"
        "class C:\n    @fills_in\n    def __init__(self, b=1): ...\n",
        "d.py": RENAMING,
        "p.py": PASSING,
    }
    first = {"__init__.py": "def f(old, other): ...\nclass C:\n    def __init__(self, a): ...\n"}
    history = read_history(tmp_path, {"1.0.0": first, "1.1.0": files})
    assert signs(history, "lib.f", called=True, keyword="old") == "1?"
    assert signs(history, "lib.f", called=True, keyword="other") == "10"
    assert signs(history, "lib.C", called=True, keyword="a") == "10"


def test_releases_in_any_order_give_the_same_history(tmp_path):
    one = {"__init__.py": "def old(): ...\nclass A:\n    def f(self, x): ...\n"}
    two = {"__init__.py": "class B:\n    def f(self): ...\nclass A(B): ...\n"}
    three = {"__init__.py": "def new(): ...\nclass A: ...\n"}
    rising = read_state(tmp_path, {"1.0": one, "1.1": two, "1.2": three})
    mixed = read_state(tmp_path, {"1.2": three, "1.0": one, "1.1": two})
    assert mixed.versions == rising.versions == ["1.0", "1.1", "1.2"]
    assert mixed.rows == rising.rows


def test_compiled_code_has_no_name_that_is_not_written_in_it(tmp_path):
    import zipfile

    path = make_wheel(tmp_path, "1.1.0", {"__init__.py": "from ._C import *\n"})
    with zipfile.ZipFile(path, "a") as wheel:
        wheel.writestr("lib/_C.abi3.so", b"\x7fELF\x00\x00seen\x00")
    from dpkb.versions.history import History
    from tools.history import State, pack

    state = State("lib")
    for version, wheel_path in (
        ("1.0.0", make_wheel(tmp_path, "1.0.0", {"__init__.py": "seen = 1\nunseen = 1\n"})),
        ("1.1.0", path),
    ):
        package = Package(Archive(wheel_path), "lib")
        package.read()
        state.add({"version": version, "python": "", "newest": "", "pins": []}, package)
    data = tmp_path / "lib.names"
    data.write_bytes(pack(state))
    assert signs(History(data), "lib.unseen") == "10"
    assert signs(History(data), "lib.seen") == "1?"


def test_the_library_says_what_to_use_instead(tmp_path):
    text = "import warnings\ndef f(**kwargs):\n    warnings.warn('`old` is deprecated, use `new` instead')\n"
    history = read_history(
        tmp_path,
        {
            "1.0": {"__init__.py": "def f(old): ...\n"},
            "1.1": {"__init__.py": text},
            "1.2": {"__init__.py": "def f(): ..."},
        },
    )
    question = Question("lib.f", called=True, keyword="old")
    assert signs(history, "lib.f", called=True, keyword="old") == "1?0"
    assert "use `new`" in history.find_instead(question)


def test_private_modules_are_there_or_not_and_other_private_names_are_unknown(tmp_path):
    history = read_history(
        tmp_path,
        {
            "1.0": {"__init__.py": "__all__ = ['_f']\ndef _f(): ...\n", "_six.py": "inf = 1\n"},
            "1.1": {"__init__.py": "def _f(): ...\n"},
        },
    )
    assert signs(history, "lib._six") == "10"
    assert signs(history, "lib._six.inf") == "10"
    assert signs(history, "lib._f") == "1?"


def test_a_name_that_is_refused_is_gone_whichever_release_is_read_first(tmp_path):
    refuses = "T = {'f': 'gone'}\ndef __getattr__(n):\n    if n in T:\n        raise AttributeError(T[n])\nglobals()['x'] = 1\n"
    releases = {"1.1": {"__init__.py": refuses}, "1.0": {"__init__.py": "f = 1\ng = 1\n"}}
    history = read_history(tmp_path, releases)
    assert signs(history, "lib.f") == "10"
    assert signs(history, "lib.g") == "1?"


def test_a_method_that_never_differs_hides_the_one_of_its_base_that_does(tmp_path):
    derived = "class B(A):\n    def __init__(self, x): ...\nclass C(B): ...\n"
    history = read_history(
        tmp_path,
        {
            "1.0": {"__init__.py": "class A:\n    def __init__(self, x): ...\n" + derived},
            "1.1": {"__init__.py": "class A:\n    def __init__(self): ...\n" + derived},
        },
    )
    assert signs(history, "lib.A", called=True, positional=1) == "10"
    assert signs(history, "lib.B", called=True, positional=1) == "11"
    assert signs(history, "lib.C", called=True, positional=1) == "11"


def test_a_decorator_of_another_package_that_accepts_an_old_keyword(tmp_path):
    source = "from transformers.utils.deprecation import deprecate_kwarg\n"
    source += "@deprecate_kwarg('old', version='2', new_name='new')\ndef f(new): ...\n"
    releases = {"1.0": {"__init__.py": "def f(old, other): ...\n"}, "1.1": {"__init__.py": source}}
    history = read_history(tmp_path, releases)
    assert signs(history, "lib.f", called=True, keyword="old") == "1?"
    assert signs(history, "lib.f", called=True, keyword="other") == "10"


def test_names_that_python_gives_are_unknown(tmp_path):
    releases = {"1.0": {"__init__.py": "x = 1"}, "1.1": {"__init__.py": "x = 1\n__version__ = '1'"}}
    assert signs(read_history(tmp_path, releases), "lib.__version__") == "??"


OPEN = "globals().update(load())\n"


@pytest.mark.parametrize(
    ("files", "path", "expected"),
    [
        # A stub exports what it imports only as `X as X`, or in its __all__. Whether that exists is not known.
        ({"__init__.py": OPEN, "__init__.pyi": "from typing import Final"}, "lib.Final", ""),
        ({"__init__.py": OPEN, "__init__.pyi": "from ._t import int128 as int128"}, "lib.int128", "?"),
        ({"__init__.py": OPEN, "__init__.pyi": "from ._t import f\n__all__ = ['f']"}, "lib.f", "?"),
        (
            {"__init__.py": OPEN, "__init__.pyi": "from ._t import f as f, g as g\n__all__ = ['g']"},
            "lib.f",
            "",
        ),
        ({"__init__.py": OPEN, "__init__.pyi": "def f(): ...\ng = 1\n__all__ = ['f']"}, "lib.f", "v"),
        ({"__init__.py": OPEN, "__init__.pyi": "def f(): ...\ng = 1\n__all__ = ['f']"}, "lib.g", "?"),
        ({"__init__.py": "", "a.pyi": "import mmap\ndef f(): ...", "a.abi3.so": ""}, "lib.a.mmap", ""),
        ({"__init__.py": "", "a.pyi": "import mmap\ndef f(): ...", "a.abi3.so": ""}, "lib.a", "m%"),
        ({"__init__.py": "", "a.pyi": "def f(): ..."}, "lib.a", "?"),
        # `from lib import *` copies what is in __all__, which is not known here.
        ({"__init__.py": "x = 1\n__all__ = sorted(f())", "a.py": "from lib import *"}, "lib.a.x", "?"),
        # __all__ with that of another module
        (
            {
                "__init__.py": "from .a import *",
                "a.py": "from . import b\nfrom .b import *\n__all__ = []\n__all__ += b.__all__",
                "b.py": "import os\ndef f(): ...\ndef g(): ...\n__all__ = ['f']",
            },
            "lib.f",
            "=lib.b.f",
        ),
        (
            {
                "__init__.py": "from .a import *",
                "a.py": "from . import b\nfrom .b import *\ndef own(): ...\n__all__ = []\nextend_all(b)",
                "b.py": "def f(): ...\n__all__ = ['f']\nfor n in names():\n    __all__.append(n)",
            },
            "lib.f",
            "=lib.b.f",
        ),
        (
            {
                "__init__.py": "from .b import *",
                "b.py": "def f(): ...\n__all__ = ['g']\nfor n in names():\n    __all__.append(n)",
            },
            "lib.f",
            "?",
        ),
        (
            {
                "__init__.py": "from .a import *",
                "a.py": "from . import b\ndef own(): ...\n__all__ = []\n__all__.extend(b.__all__)",
                "b.py": "__all__ = ['f']",
            },
            "lib.own",
            "",
        ),
        ({"__init__.py": "", "tests/__init__.py": "x = 1"}, "lib.tests", "?"),
    ],
)
def test_names_of_stubs_and_of_star_imports(tmp_path, files, path, expected):
    package = Package(Archive(make_wheel(tmp_path, "1.0", files)), "lib")
    assert package.read().get(path, "") == expected


def test_a_module_that_asks_another_for_its_names_may_have_any(tmp_path):
    files = {
        "__init__.py": "def __getattr__(name):\n    return getattr(other, name)\n",
        "__init__.pyi": "def f(): ...\n",
    }
    history = read_history(tmp_path, {"1.0": {"__init__.py": "def g(): ...\n"}, "1.1": files})
    assert signs(history, "lib.g") == "1?"


def test_a_name_that_is_given_as_a_function_that_raises_is_gone(tmp_path):
    source = """
import sys
T = {name: "gone" for name in ["f"]}
if sys.version_info >= (3, 7):
    def __getattr__(name):
        try:
            text = T[name]
        except KeyError:
            pass
        else:
            def expired(*args):
                raise RuntimeError(text)
            return expired
        if name == "h":
            return 1
"""
    history = read_history(
        tmp_path, {"1.0": {"__init__.py": "f = g = h = 1\n"}, "1.1": {"__init__.py": source}}
    )
    assert [signs(history, f"lib.{name}") for name in "fgh"] == ["10", "10", "1?"]


def test_the_proof_counts_a_function_that_only_raises_as_absent(tmp_path):
    source = "def gone(*args):\n    raise RuntimeError('removed')\ndef there():\n    if 1: raise OSError\n"
    (tmp_path / "lib.py").write_text(source)
    questions = json.dumps([["lib.gone", None], ["lib.there", None], ["lib.other", None]])
    command = [sys.executable, "-c", history_proof._PROGRAM]
    done = subprocess.run(command, input=questions, capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout == 'ANSWERS["no", "yes", "no"]\n'
