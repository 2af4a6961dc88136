"""The first process of a namespace. Confined scripts, and how a confinement is tried: tests/runner."""

import select
import subprocess
import sys

import pytest
from support import ROOT

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="scripts are confined on Linux only")


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
