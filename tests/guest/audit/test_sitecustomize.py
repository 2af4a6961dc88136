"""The audit gets into a process by its sitecustomize, and runs the one that it hides."""

import os
import subprocess
import sys

import pytest

from dpkb.audit.guest_half import environment_variables


@pytest.fixture
def run(tmp_path):
    """The output of an interpreter with the audit on its path, before the user's sitecustomize."""

    def start(hidden, code="print('program')", audited=True):
        mine = tmp_path / "mine"
        (mine / "torch").mkdir(parents=True)
        (mine / "torch" / "__init__.py").write_text("")
        if hidden:
            (mine / "sitecustomize.py").write_text(hidden)
        env = {**os.environ, **environment_variables(tmp_path, None, {"PYTHONPATH": str(mine)})}
        if not audited:
            del env["DPKB_AUDIT_FOLDER"]
        done = subprocess.run(
            [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0 and done.stdout.endswith("program\n"), done.stderr
        return done.stdout.split()[:-1]

    return start


@pytest.mark.parametrize(
    ("hidden", "printed"),
    [
        (None, []),
        (
            "import sys; print(__name__, sys.modules['sitecustomize'].__file__ == __file__)",
            ["sitecustomize", "True"],
        ),
        ("raise RuntimeError('of the user')", []),
    ],
)
def test_the_users_own_is_run(run, hidden, printed):
    assert run(hidden) == printed


BEGINS = (
    "import sys; print(any(type(one).__module__ == 'dpkb_audit.start' for one in sys.meta_path)); "
    "print('program')"
)


@pytest.mark.parametrize(
    ("hidden", "audited", "begins"),
    [(None, True, "True"), (None, False, "False"), ("raise RuntimeError", True, "True")],
)
def test_the_audit_waits_for_torch_where_it_was_asked_for(run, hidden, audited, begins):
    assert run(hidden, BEGINS, audited) == [begins]
