"""Guest files run under Python 3.8, with its standard library alone."""

import ast
import json
import os
import re
import subprocess
import sys

import pytest
from support import ROOT

from dpkb.runner.torch_envs import find_installed_python

FOLDER = ROOT / "dpkb" / "guest"
GUEST = sorted(FOLDER.glob("*.py"))
IDS = [path.stem for path in GUEST]
# The audit has a separate folder, which is on the search path of the programs that it watches.
AUDIT = FOLDER / "audit"
AUDIT_FILES = sorted(AUDIT.rglob("*.py"))
OLDEST = (3, 8)


def imported(path, functions=True):
    """The top-level names of the modules that a file imports, those for the type checker aside."""
    tree = ast.parse(path.read_text())
    for block in ast.walk(tree):
        never_run = isinstance(block, ast.If) and ast.unparse(block.test) == "MYPY"
        if never_run or (isinstance(block, ast.FunctionDef) and not functions):
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
        if python := find_installed_python(f"3.{minor}"):
            return python
    pytest.skip("no Python older than this one is installed")


@pytest.mark.parametrize("path", GUEST + AUDIT_FILES, ids=lambda path: str(path.relative_to(FOLDER)))
def test_the_grammar_is_old_enough(path):
    ast.parse(path.read_text(), feature_version=OLDEST)


@pytest.mark.parametrize("path", GUEST, ids=IDS)
def test_guest_code_imports_only_the_standard_library_and_its_neighbours(path):
    assert set(imported(path)) <= set(sys.stdlib_module_names) | set(IDS)


@pytest.mark.parametrize("path", AUDIT_FILES, ids=lambda path: str(path.relative_to(AUDIT)))
def test_the_audit_imports_torch_only_in_functions(path):
    known = set(sys.stdlib_module_names) | {"dpkb_audit"}
    assert set(imported(path)) <= known | {"torch"}
    assert set(imported(path, functions=False)) <= known


def test_no_file_hides_a_standard_module():
    # Python looks for a module named sitecustomize when it starts; the standard library has none.
    names = {*IDS, *(path.stem for path in AUDIT.iterdir())}
    assert len(names) > len(IDS) and not names & set(sys.stdlib_module_names)


@pytest.mark.parametrize("path", GUEST, ids=IDS)
def test_guest_code_can_be_imported_by_an_old_python(old_python, path):
    code = f"import sys; sys.path.insert(0, {str(path.parent)!r}); import {path.stem}"
    done = subprocess.run(
        [old_python, "-I", "-S", "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_audit_can_be_imported_by_an_old_python(old_python):
    modules = [".".join(path.relative_to(AUDIT).with_suffix("").parts) for path in AUDIT_FILES]
    code = f"import importlib, sys; sys.path.insert(0, {str(AUDIT)!r})\n" + "\n".join(
        f"importlib.import_module({name!r})" for name in modules
    )
    done = subprocess.run(
        [old_python, "-I", "-S", "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_each_program_runs_under_an_old_python(old_python, tmp_path):
    def run(name, *arguments, stdin=""):
        return subprocess.run(
            [old_python, "-Iu", str(ROOT / "dpkb" / "guest" / f"{name}.py"), *arguments],
            input=stdin,
            capture_output=True,
            text=True,
            cwd=tmp_path,
            check=False,
        )

    version = re.sub(
        r"^Python ",
        "",
        subprocess.run([old_python, "-V"], capture_output=True, text=True, check=True).stdout.strip(),
    )
    assert json.loads(run("probe").stdout)["python"] == version
    assert run("probe", "has", "json").returncode == 0
    assert run("probe", "has", "no_such_package").returncode == 1


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
    from dpkb.runner.confinement import find_confinement
    from dpkb.runner.fork_server import run_fork_server
    from dpkb.runner.limits import Limits

    script, printed = tmp_path / "script.py", []
    script.write_text(HERE)
    with run_fork_server(old_python, dict(os.environ), threading.Event(), modules=()) as server:
        program = launch.Program([str(script)], dict(os.environ), Needs(), find_confinement(), server)
        ended = launch.run_to_end(
            program, Limits(), threading.Event(), lambda _, chunk: printed.append(chunk)
        )
    assert ended.code == 1
    assert json.loads(b"".join(printed).split(b" ", 1)[1])["python"][1] < sys.version_info[1]
