"""The first process of a namespace. Confined scripts, and how a confinement is tried: tests/runner."""

import subprocess
import sys

import pytest
from support import ROOT

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="scripts are confined on Linux only")


PROTECTED = """
import ctypes, os, signal, sys
sys.path.insert(0, sys.argv[1])
import confine
status = open("/proc/self/status")  # later only root may open it
confine.protect_supervisor()
PR_GET_DUMPABLE = 3
sets = [line.split()[1] for line in status if line[:6] in ("CapPrm", "CapEff", "CapInh")]
print(ctypes.CDLL(None).prctl(PR_GET_DUMPABLE), *sets, flush=True)
os.kill(os.getpid(), signal.SIGINT)
"""


def test_the_first_process_has_no_rights_and_no_handler_and_cannot_be_traced():
    done = subprocess.run(
        [sys.executable, "-c", PROTECTED, str(ROOT / "dpkb/guest")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == ["0", *["0" * 16] * 3], done.stderr
    assert done.returncode == -2, "no handler of Python for SIGINT is left"
