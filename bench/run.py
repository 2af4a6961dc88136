"""How fast output passes through `dpkb run`, beside the same pipe without it.

    python -m bench.run [MEGABYTES [REPEATS]]
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time


def seconds(command: list[str]) -> float:
    """How long a command takes whose output another process reads to the end."""
    started = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE) as writer:
        subprocess.run(["cat"], stdin=writer.stdout, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - started


def main() -> None:
    """Print the medians, without the start of dpkb itself, and their ratio."""
    megabytes, repeats = ([int(word) for word in sys.argv[1:]] + [2000, 5][len(sys.argv) - 1:])[:2]
    writes = ["head", "-c", f"{megabytes}M", "/dev/zero"]
    wrapped = [sys.executable, "-m", "dpkb", "run", "--"]
    plain, through, start = [], [], []
    for _ in range(repeats):
        plain.append(seconds(writes))
        through.append(seconds([*wrapped, *writes]))
        start.append(seconds([*wrapped, "true"]))
    a, b = statistics.median(plain), statistics.median(through) - statistics.median(start)
    print(f"{megabytes} MB: plain {a:.2f} s, through dpkb run {b:.2f} s and {statistics.median(start):.2f} s "
          f"to start; throughput {a / b:.2f} of the plain pipe")


if __name__ == "__main__":
    main()
