"""Measures how fast output passes through `dpkb run`, compared with the same pipe without it.

python -m bench.run [MEGABYTES [REPEATS]]
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time


def time_pipe(command: list[str]) -> float:
    """Run a command whose output another process reads to the end, and return its seconds."""
    started = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE) as writer:
        subprocess.run(["cat"], stdin=writer.stdout, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - started


def main() -> None:
    """Print the medians, without the start of dpkb itself, and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("megabytes", nargs="?", type=int, default=2000)
    parser.add_argument("repeats", nargs="?", type=int, default=5)
    options = parser.parse_args()
    writes = ["head", "-c", f"{options.megabytes}M", "/dev/zero"]
    wrapped = [sys.executable, "-m", "dpkb", "run", "--"]
    plain, through, start = [], [], []
    for _ in range(options.repeats):
        plain.append(time_pipe(writes))
        through.append(time_pipe([*wrapped, *writes]))
        start.append(time_pipe([*wrapped, "true"]))
    start_seconds = statistics.median(start)
    pipe, dpkb = statistics.median(plain), statistics.median(through) - start_seconds
    print(
        f"{options.megabytes} MB: plain {pipe:.2f} s, through dpkb run {dpkb:.2f} s and "
        f"{start_seconds:.2f} s to start; throughput {pipe / dpkb:.2f} of the plain pipe"
    )


if __name__ == "__main__":
    main()
