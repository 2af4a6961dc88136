"""Which other files make a file more than a program for itself, so that no correction in it is safe."""

import pytest

from dpkb.lint import file_users
from dpkb.lint.file_users import may_be_used


def is_used(tmp_path, path, text, name="net.py"):
    """Whether a file of this place, as seen from its folder, may use a/project/models/net.py."""
    folder = tmp_path / "a/project/models"
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(exist_ok=True)
    (tmp_path / ".git").mkdir(exist_ok=True)
    (folder / name).write_text("")
    (folder / path).write_text(text, "utf-8")
    return may_be_used(folder / name, [])


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("main.py", "from net import Net"),
        ("main.py", "import torch, \\\n    net as n"),
        ("main.py", "from models import (  # all (of them)\n    net,\n)"),
        ("main.py", "if 1: from .net import Net"),
        ("main.py", "import \uff4e\uff45\uff54"),
        ("main.py", "load('n' 'et')"),
        ("main.py", "load('n' + 'et')"),
        ("main.py", "load('n\\x65t')"),
        ("main.py", "load(b'net')"),
        ("main.py", "for name in names: load(f'{name}.py')"),
        ("main.py", "exec(text)"),
        ("main.py", "print(eval(text))"),
        ("main.py", "os.listdir()"),
        ("main.py", "print.__self__"),
        ("main.py", "from glob import glob"),
        ("main.py", "import subprocess as s"),
        ("main.py", "def f():\n    from os import path\n    import runpy"),
        ("main.py", '"""import net"""\nrun(__doc__)'),
        ("main.py", "does not parse"),
        ("queue.py", ""),
        ("torch/__init__.py", ""),
        ("jobs.json", '["net.py"]'),
        ("jobs", ""),
        ("run.sh", ""),
        ("use.ipynb", "{}"),
        ("below/deep/check.py", "import net"),
        (".hidden/check.py", "import pytest"),
        ("../main.py", ""),
        ("../../../main.py", ""),
        ("../run.sh", ""),
        ("../Makefile", "test:\n\tpython models/net.py"),
        ("../test_net.py", "from models.net import Net"),
        ("../tests/check.py", "from models import net"),
        ("../tests/test_all.py", "run_all('../models')"),
    ],
)
def test_a_file_that_may_use_another(tmp_path, path, text):
    assert is_used(tmp_path, path, text)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("main.py", "import json, os\nfrom network import net_of\nmodel.eval()\nx = torch.compile(f)  # net"),
        ("main.py", '"""Run: python net.py"""\nprint(1)'),
        ("README.md", "python net.py"),
        ("claims.yaml", "net: it trains"),
        ("LICENSE", "net"),
        ("../LICENSE", ""),
        ("../test_all.py", "run_all('models')"),
        ("../tests/check.py", "import network"),
        ("../../../../main.py", "import net"),
    ],
)
def test_a_file_that_does_not_use_another(tmp_path, path, text):
    assert not is_used(tmp_path / "x/y", path, text)


@pytest.mark.parametrize("name", ["größe.py", "first-net.py", "my net.py"])
def test_a_name_that_is_no_ascii_word(tmp_path, name):
    assert is_used(tmp_path, "main.py", f"load('{name[:-3]}')", name)
    assert not is_used(tmp_path, "main.py", "load('other')", name)


@pytest.mark.parametrize("name", ["__init__.py", "__main__.py"])
def test_a_package_is_for_others(tmp_path, name):
    assert is_used(tmp_path, "LICENSE", "", name)


def test_a_link_is_another_name(tmp_path):
    assert not is_used(tmp_path, "LICENSE", "")
    net = tmp_path / "a/project/models/net.py"
    net.with_name("other.py").symlink_to("net.py")
    assert may_be_used(net, []) and may_be_used(net.with_name("other.py"), [])


def test_a_linted_file_of_another_folder(tmp_path):
    assert not is_used(tmp_path, "../../../e/f/main.py", "from models import net")
    assert may_be_used(tmp_path / "a/project/models/net.py", [tmp_path / "e/f"])


def test_more_files_than_can_be_read(tmp_path, monkeypatch):
    assert not is_used(tmp_path, "other.txt", "")
    monkeypatch.setattr(file_users, "_MAX_FILES", 2)
    assert may_be_used(tmp_path / "a/project/models/net.py", [])
