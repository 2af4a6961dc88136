"""The audit begins when torch is imported, once, and a program that only asks for torch is left alone."""

import json
import os
import subprocess
import sys

import pytest

from dpkb.audit.guest_half import FOLDER

BEGINS = """
import sys
sys.path[:0] = [sys.argv[1], sys.argv[2]]
from dpkb_audit import start
start.begin = lambda: print("begun")
start.begin_at_import()
"""
ASKS = "import importlib.util\nprint(importlib.util.find_spec('torch') is not None)\n"


@pytest.fixture
def run(tmp_path):
    """What a program prints whose torch is a file of one line."""
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text("print('imported')\n")

    def start(code, begins=BEGINS, **env):
        done = subprocess.run(
            [sys.executable, "-S", "-c", begins + code, str(tmp_path), str(FOLDER)],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, **env},
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    return start


@pytest.mark.parametrize(
    ("code", "printed"),
    [
        ("import torch", ["imported", "begun"]),
        ("import torch, torch", ["imported", "begun"]),
        (ASKS, ["True"]),
        (ASKS + "import torch", ["True", "imported", "begun"]),
        ("import json", []),
        ("import torch\nstart.begin_at_import()", ["imported", "begun", "begun"]),
        ("import torch, importlib\nimportlib.reload(torch)", ["imported", "begun", "imported"]),
    ],
)
def test_the_audit_begins_when_torch_has_been_imported(run, code, printed):
    assert run(code) == printed


def test_python_finds_modules_as_before_once_it_has_begun(run):
    code = "import torch\nprint(any(type(one).__module__ == 'dpkb_audit.start' for one in sys.meta_path))"
    assert run(code) == ["imported", "begun", "False"]


def test_a_program_goes_on_where_the_audit_cannot_begin(run, tmp_path):
    begins = BEGINS.replace('start.begin = lambda: print("begun")', "")
    program = "import sys\nsys.modules['torch._C'] = sys\nimport torch\nprint('on')"
    assert run(program, begins, DPKB_AUDIT_FOLDER=str(tmp_path)) == ["imported", "on"]
    (failed,) = tmp_path.glob("*-failed.jsonl")
    row = json.loads(failed.read_text())
    assert row["message"] == "the audit could not begin" and "Traceback" in row["traceback"]
    failed.unlink()
    assert run(program, begins, DPKB_AUDIT_FOLDER="/nowhere") == ["imported", "on"]


def test_a_module_of_the_program_that_is_called_torch_is_left_alone(run, tmp_path):
    begins = BEGINS.replace('start.begin = lambda: print("begun")', "")
    assert run("import torch\nprint('on')", begins, DPKB_AUDIT_FOLDER=str(tmp_path)) == ["imported", "on"]
    assert not list(tmp_path.glob("*.jsonl"))
