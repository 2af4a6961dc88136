"""Runs dpkb as a process, and measures its peak memory."""

import subprocess
import sys

# Not ru_maxrss: a child inherits it from the process that started it.
_PRINTS_PEAK = """
import sys
from dpkb.cli.main import main
try:
    main()
finally:
    peak = [line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")]
    print(peak[0], file=sys.stderr)
"""


def run_with_peak(*arguments, cwd):
    """Run dpkb. Returns the ended process and its peak memory in MiB; Linux only."""
    done = subprocess.run(
        [sys.executable, "-c", _PRINTS_PEAK, *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=cwd,
        timeout=300,
        check=False,
    )
    done.stderr, _, peak_kib = done.stderr.rstrip().rpartition("\n")
    return done, int(peak_kib) / 1024
