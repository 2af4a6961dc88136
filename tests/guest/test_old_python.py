"""Guest files run under Python 3.8, with its standard library alone."""

import ast
import json
import os
import re
import subprocess
import sys

import pytest
from support import ROOT

from dpkb.runner.torch_envs import installed_python

GUEST = sorted((ROOT / "dpkb" / "guest").glob("*.py"))
IDS = [path.stem for path in GUEST]
OLDEST = (3, 8)


def imported(path):
    """The top-level names of the modules that a file imports, those for the type checker aside."""
    tree = ast.parse(path.read_text())
    for block in [node for node in ast.walk(tree) if isinstance(node, ast.If)]:
        if ast.unparse(block.test) == "MYPY":
            block.body = [ast.Pass()]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").split(".")[0]


@pytest.fixture(scope="module")
def old_python():
    """The oldest interpreter at hand from 3.8 on that is older than this one."""
    for minor in range(OLDEST[1], sys.version_info[1]):
        if python := installed_python(f"3.{minor}"):
            return python
    pytest.skip("no Python older than this one is installed")


@pytest.mark.parametrize("path", GUEST, ids=IDS)
def test_the_grammar_is_old_enough(path):
    ast.parse(path.read_text(), feature_version=OLDEST)


@pytest.mark.parametrize("path", GUEST, ids=IDS)
def test_it_imports_the_standard_library_and_its_neighbours(path):
    assert set(imported(path)) <= set(sys.stdlib_module_names) | set(IDS)


def test_no_file_hides_a_standard_module():
    assert not set(IDS) & set(sys.stdlib_module_names)


@pytest.mark.parametrize("path", GUEST, ids=IDS)
def test_it_can_be_imported_by_an_old_python(old_python, path):
    code = f"import sys; sys.path.insert(0, {str(path.parent)!r}); import {path.stem}"
    done = subprocess.run([old_python, "-I", "-S", "-W", "error", "-c", code], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stderr


def test_each_program_runs_under_an_old_python(old_python, tmp_path):
    def run(name, *arguments, stdin=""):
        return subprocess.run([old_python, "-Iu", str(ROOT / "dpkb" / "guest" / f"{name}.py"), *arguments],
                              input=stdin, capture_output=True, text=True, cwd=tmp_path, check=False)

    version = re.sub(r"^Python ", "", subprocess.run([old_python, "-V"], capture_output=True, text=True,
                                                     check=True).stdout.strip())
    assert json.loads(run("probe").stdout)["python"] == version
    assert run("probe", "has", "json").returncode == 0
    assert run("probe", "has", "no_such_package").returncode == 1
    assert "usage: torchrun" in run("ranks").stderr
    if sys.platform == "linux":
        assert set(json.loads(run("confine").stdout)) == {"user", "namespaces", "why"}
        # It ends with its standard input, here at once.
        assert run("template", str(tmp_path / "socket"), "json").stdout == "ready\n"


HERE = """
import json, sys
print("OBSERVED", json.dumps({"healthy": False, "python": list(sys.version_info[:2])}))
sys.exit(1)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="scripts are forked on Linux only")
def test_scripts_are_forked_under_an_old_python(old_python, tmp_path):
    import threading

    from dpkb.model import Needs
    from dpkb.runner import launch
    from dpkb.runner.confinement import strictest_confinement
    from dpkb.runner.template import template
    from dpkb.runner.watch import Limits

    script, printed = tmp_path / "script.py", []
    script.write_text(HERE)
    with template(old_python, dict(os.environ), threading.Event(), modules=()) as address:
        start = launch.start_fork(address, script, dict(os.environ), Needs(), strictest_confinement(),
                                  Limits())
        ended = launch.run(start, Limits(), threading.Event(), lambda _, chunk: printed.append(chunk))
    assert ended.code == 1
    assert json.loads(b"".join(printed).split(b" ", 1)[1])["python"][1] < sys.version_info[1]
