"""How a confinement is tried, and the reason for none. Confined scripts: tests/runner."""

import errno
import json
import os
import select
import subprocess
import sys

import pytest
from support import ROOT, refuse_prctl

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="scripts are confined on Linux only")


@pytest.fixture
def confine():
    folder = str(ROOT / "dpkb/guest")
    sys.path.insert(0, folder)
    from dpkb.guest import confine

    sys.path.remove(folder)
    return confine


@pytest.mark.parametrize(
    ("allows", "found"),
    [
        (lambda user: True, (True, False, "")),
        (lambda user: user, (True, True, "")),
        (lambda user: False, (False, False, "refused without a user namespace")),
    ],
)
def test_a_user_namespace_is_used_where_it_is_needed(confine, monkeypatch, allows, found):
    def attempt(confinement, folders):
        given = [path for path in folders.values() if path]
        assert given and all(map(os.path.exists, given))
        kind = "in" if confinement["user"] else "without"
        return "" if allows(confinement["user"]) else f"refused {kind} a user namespace"

    monkeypatch.setattr(confine, "try_to_enter", attempt)
    assert confine.find_confinement() == dict(zip(("active", "user", "why"), found, strict=True))


def test_a_refusal_in_the_child_is_reported(confine, monkeypatch):
    nothing = {"active": False, "user": False}
    assert confine.try_to_enter(nothing, {}) == ""

    def refuse(flags):
        raise OSError(errno.EPERM, "unshare: Operation not permitted")

    monkeypatch.setattr(confine.kernel, "unshare", refuse)
    asked = {"active": True, "user": False}
    assert confine.try_to_enter(asked, {}) == "unshare: Operation not permitted"
    monkeypatch.setattr(confine, "confine_children", lambda *_: os._exit(3))
    assert confine.try_to_enter(asked, {}) == "it ended early"


@pytest.mark.skipif(not refuse_prctl.AVAILABLE, reason="needs a filter of system calls")
@pytest.mark.parametrize("option", [1, 38])  # PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS
def test_scripts_that_keep_their_privileges_are_not_confined(option):
    done = subprocess.run(
        [
            sys.executable,
            refuse_prctl.__file__,
            str(option),
            sys.executable,
            "-I",
            "-S",
            str(ROOT / "dpkb/guest/confine.py"),
        ],
        check=True,
        capture_output=True,
        text=True,
    )
    found = json.loads(done.stdout)
    assert not found["active"] and found["why"]
    if os.geteuid() == 0:  # otherwise another reason may come first
        assert found["why"] == f"prctl option {option}: Operation not permitted"


# Opens a pipe also as descriptor 1500, and acts as the first process of a namespace.
WAITS = """
import os, resource, sys
sys.path.insert(0, sys.argv[1])
import confine
resource.setrlimit(resource.RLIMIT_NOFILE, (2000, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
os.dup2(1, 1500)
confine.wait_as_first_process()
"""


def test_the_first_process_keeps_no_descriptor_open():
    with subprocess.Popen(
        [sys.executable, "-c", WAITS, str(ROOT / "dpkb/guest")], stdout=subprocess.PIPE
    ) as first:
        try:
            assert select.select([first.stdout], [], [], 60)[0] and first.stdout.read() == b""
            assert first.poll() is None
        finally:
            first.kill()
