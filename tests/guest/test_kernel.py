"""System calls: refusals name the call, and dropped rights are gone."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support import ROOT, refuse_prctl

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="calls of Linux")


@pytest.fixture(scope="module")
def kernel():
    from dpkb.guest import kernel

    return kernel


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda kernel: kernel.mount("x", "/no/such/folder", "tmpfs", 0), "mount on /no/such/folder: "),
        (
            lambda kernel: kernel.mount_setattr("/no/such/folder", 0, 1, 0),
            "mount_setattr on /no/such/folder: ",
        ),
        (lambda kernel: kernel.unshare(1), "unshare: "),
        (lambda kernel: kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 0), "prctl option 38: "),
    ],
)
def test_a_refusal_is_an_error_that_names_the_call(kernel, call, says):
    with pytest.raises(OSError) as refused:
        call(kernel)
    assert refused.value.strerror == says + os.strerror(refused.value.errno) and refused.value.errno


CAP_SETPCAP = 8


def in_a_child(act):
    """The status of a forked process that has done this, as /proc has it."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            act()
            os.write(write, Path("/proc/self/status").read_bytes())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        status = pipe.read()
    os.waitpid(pid, 0)
    return dict(re.findall(r"^(\w+):\s*(.*)$", status, re.MULTILINE))


def test_only_the_capabilities_that_are_kept_are_left(kernel):
    kept = (kernel.CAP_KILL,)
    before = in_a_child(lambda: None)
    if not int(before["CapEff"], 16) >> CAP_SETPCAP & 1:
        pytest.skip("only a process with CAP_SETPCAP can drop capabilities")
    after = in_a_child(lambda: kernel.drop_capabilities(kept))
    mask = 1 << kernel.CAP_KILL
    for name in ("CapEff", "CapPrm", "CapBnd"):
        assert int(after[name], 16) == int(before[name], 16) & mask
    assert int(after["CapInh"], 16) == 0


def test_a_process_can_give_up_new_privileges(kernel):
    assert in_a_child(lambda: kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1))["NoNewPrivs"] == "1"


DROPS = "import kernel; kernel.drop_capabilities((kernel.CAP_KILL,)); print('dropped')"


@pytest.mark.skipif(not refuse_prctl.AVAILABLE, reason="needs a filter of system calls")
@pytest.mark.parametrize("option", [23, 24])  # PR_CAPBSET_READ, PR_CAPBSET_DROP
def test_a_capability_that_cannot_be_dropped_is_an_error(option):
    done = subprocess.run(
        [sys.executable, refuse_prctl.__file__, str(option), sys.executable, "-c", DROPS],
        cwd=ROOT / "dpkb/guest",
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.stdout == "" and f"prctl option {option}: Operation not permitted" in done.stderr
