"""What the rules ask a file: what created a value, which class it has, what a name stands for."""

import ast
import textwrap
from pathlib import Path

import pytest

from dpkb.lint.module import Module
from dpkb.lint.project import Project
from dpkb.lint.source import Source

HEAD = "import torch\nimport torch.nn as nn\nfrom torch.utils.data import DataLoader\n"


def module_of(code):
    text = HEAD + textwrap.dedent(code)
    return Module(Source("train.py", text, ast.parse(text)))


def asked(module):
    """The expression that the last line of a file names."""
    return module.source.tree.body[-1].value


def origins(code):
    module = module_of(code)
    return [ast.unparse(origin) for origin in module.origins(asked(module))]


def types(code):
    module = module_of(code)
    return [kind if isinstance(kind, str) else f"class {kind.name}" for kind in module.types(asked(module))]


@pytest.mark.parametrize(("code", "expected"), [
    ("a = nn.Linear(2, 2)\nb = a\nb", ["nn.Linear(2, 2)"]),
    ("a = f() if x else g()\na", ["f()", "g()"]),
    ("a = 1\nif x:\n    a = 2\na", ["1", "2"]),
    ("a, b = f(), g()\nb", ["g()"]),
    ("loaders = {'train': f(), 'val': g()}\nloaders['val']", ["g()"]),
    ("loaders = {phase: f(phase) for phase in phases}\nloaders['train']", ["f(phase)"]),
    ("layers = [f(), g()]\nlayers[1]", ["g()"]),
    ("def build():\n    return f(), g()\n\na, b = build()\nb", ["g()"]),
    ("a = a\na", []),
    ("unknown", []),
])
def test_origins_follow_assignments(code, expected):
    assert origins(code) == expected


def test_a_parameter_is_what_its_calls_pass():
    module = module_of("""
        def train(model, rate=0.1):
            model

        train(nn.Linear(2, 2))
        train(rate=1, model=nn.Conv2d(3, 3, 1))
    """)
    [function] = [node for node in module.source.tree.body if isinstance(node, ast.FunctionDef)]
    assert [ast.unparse(origin) for origin in module.origins(function.body[0].value)] == [
        "nn.Linear(2, 2)", "nn.Conv2d(3, 3, 1)"]


def test_an_attribute_of_self_is_looked_up_in_all_methods_and_base_classes():
    module = module_of("""
        class Base(nn.Module):
            def __init__(self):
                self.head = nn.Linear(2, 2)

        class Net(Base):
            def replace(self):
                self.head = nn.Identity()

            def forward(self, x):
                self.head
    """)
    line = module.classes["Net"].methods["forward"].body[0].value
    assert [ast.unparse(origin) for origin in module.origins(line)] == ["nn.Identity()", "nn.Linear(2, 2)"]
    assert module.is_a(line, "torch.nn.Module")


@pytest.mark.parametrize(("code", "expected"), [
    ("loader = DataLoader(data)\nloader", ["torch.utils.data.DataLoader"]),
    ("class Net(nn.Module):\n    pass\n\nnet = Net().cuda()\nnet", ["class Net"]),
    ("net = torch.compile(nn.Linear(2, 2))\nnet", ["torch.nn.Linear"]),
    ("def build():\n    return nn.Linear(2, 2)\n\nbuild()", ["torch.nn.Linear"]),
    ("something()", []),
])
def test_types(code, expected):
    assert types(code) == expected


@pytest.mark.parametrize(("code", "name"), [
    ("nn.functional.cross_entropy(a, b)", "torch.nn.functional.cross_entropy"),
    ("import torch.nn.functional as F\nF.cross_entropy(a, b)", "torch.nn.functional.cross_entropy"),
    ("loss = nn.functional.cross_entropy\nloss(a, b)", "torch.nn.functional.cross_entropy"),
    ("from utils import *\nF.relu(x)", "torch.nn.functional.relu"),
    ("def nn(x):\n    pass\n\nhelper.relu(x)", ""),
])
def test_a_call_has_the_full_name_of_the_library_s_function(code, name):
    module = module_of(code)
    assert module.called(asked(module)) == name


def test_a_class_of_another_file_is_found_by_its_import(tmp_path):
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("import torch\nfrom package.nets import Net\n")
    (package / "nets.py").write_text(HEAD + "class Net(nn.Module):\n    pass\n")
    (tmp_path / "train.py").write_text(HEAD + "from package import Net\nNet()\n")
    paths = [Path(package / "__init__.py"), package / "nets.py", tmp_path / "train.py"]
    project = Project(paths)
    module = project.module(paths[-1])
    [kind] = module.types(asked(module))
    assert kind.name == "Net" and kind.module.source.name == str(package / "nets.py")
    assert kind.is_a("torch.nn.Module")
