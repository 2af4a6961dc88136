"""Compares the time of `dpkb verify` with the least time that its scripts allow on this machine.

    python -m bench.verify            all entries
    python -m bench.verify DP1 DP15   some entries

The least time is the larger of all scripts' CPU time divided by the cores, and the longest script.
Scripts that wait (a hang that runs into its timeout) use no CPU, so they can overlap.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time


def main() -> None:
    """Run verify once, and print its wall time against the least time."""
    command = [sys.executable, "-m", "dpkb", "verify", "--json", *sys.argv[1:]]
    started = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    wall = time.perf_counter() - started
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    report = json.loads(done.stdout)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    cpu = used.ru_utime + used.ru_stime
    longest = max(result["seconds"] for result in report["results"])
    least = max(cpu / cores, longest)
    print(f"{len(report['results'])} scripts on {cores} cores, torch {report['environment']['torch']}")
    print(f"CPU time {cpu:.0f} s, longest script {longest:.1f} s, so at least {least:.0f} s")
    print(f"wall time {wall:.0f} s, ratio {wall / least:.2f}")
    print(json.dumps(report["summary"]))


if __name__ == "__main__":
    main()
