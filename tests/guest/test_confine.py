"""The order in which confinements are tried, and the reasons for none. Confined scripts: tests/runner."""

import errno
import json
import os
import select
import subprocess
import sys

import pytest
from support import ROOT, refuse_prctl

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="scripts are confined on Linux only")
ALL = ("files", "processes", "network")


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
        (lambda user, names: True, (False, ALL, "")),
        (lambda user, names: user, (True, ALL, "refused files,processes,network")),
        (
            lambda user, names: user and "processes" not in names,
            (True, ("files", "network"), "refused files,processes,network"),
        ),
        (lambda user, names: names == ("files",), (False, ("files",), "refused files,processes,network")),
        (lambda user, names: False, (False, (), "refused files,processes,network")),
    ],
)
def test_the_strictest_confinement_has_the_reason_why_it_is_not_stricter(confine, monkeypatch, allows, found):
    def attempt(confinement, folders):
        given = [path for path in folders.values() if path]
        assert given and all(map(os.path.exists, given))
        names = confinement["namespaces"]
        return "" if allows(confinement["user"], names) else f"refused {','.join(names)}"

    monkeypatch.setattr(confine, "try_to_enter", attempt)
    assert confine.find_strictest() == dict(zip(("user", "namespaces", "why"), found, strict=True))


def test_a_refusal_in_the_child_is_reported(confine, monkeypatch):
    nothing = {"user": False, "namespaces": ()}
    assert confine.try_to_enter(nothing, {}) == ""

    def refuse(flags):
        raise OSError(errno.EPERM, "unshare: Operation not permitted")

    monkeypatch.setattr(confine.kernel, "unshare", refuse)
    asked = {"user": False, "namespaces": ("files",)}
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
    assert found["namespaces"] == [] and found["why"]
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
