"""Compares the time of `dpkb diagnose` with that of `grep -aEf` with the same patterns on the same log.

python -m bench.diagnose [MEGABYTES [RUNS]]
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
from pathlib import Path

from bench.timing import time_process
from dpkb.catalogue.load import load
from dpkb.paths import find_built_in_catalogue

WORDS = (
    "epoch step loss train INFO lr grad norm 0.123 batch time data it/s GPU mem worker torch module "
    "forward Error: warning DataLoader rank0 File line in"
).split()


def write_log(path: Path, megabytes: int) -> None:
    """Write a training log of this size, with one failure at its end."""
    draw = random.Random(0)
    block = "\n".join(" ".join(draw.choices(WORDS, k=14)) for _ in range(12_000)).encode() + b"\n"
    with path.open("wb") as file:
        while file.tell() < megabytes << 20:
            file.write(block)
        file.write(b"ValueError: sampler option is mutually exclusive with shuffle\n")


def main() -> None:
    """Time both in turn, and print the median of their ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("megabytes", nargs="?", type=int, default=200)
    parser.add_argument("runs", nargs="?", type=int, default=7)
    options = parser.parse_args()
    entries = load([find_built_in_catalogue()])
    texts = sorted({s.match for e in entries for s in e.signatures})
    with tempfile.TemporaryDirectory() as folder:
        log, patterns = Path(folder, "log"), Path(folder, "patterns")
        write_log(log, options.megabytes)
        # grep -E has no \d.
        patterns.write_text("\n".join(t.replace(r"\d", "[0-9]") for t in texts) + "\n")
        dpkb = [sys.executable, "-m", "dpkb", "diagnose", str(log)]
        grep = ["grep", "-aEf", str(patterns), str(log)]
        pairs = [(time_process(dpkb).wall, time_process(grep).wall) for _ in range(options.runs)]
    ratios = [grep_time / dpkb_time for dpkb_time, grep_time in pairs]
    print(f"{options.megabytes} MB, {len(texts)} patterns, {options.runs} runs")
    print(
        f"dpkb {statistics.median(dpkb_time for dpkb_time, _ in pairs):.2f} s, "
        f"grep {statistics.median(grep_time for _, grep_time in pairs):.2f} s"
    )
    print(
        f"speed of dpkb in units of grep's: median {statistics.median(ratios):.2f}, "
        f"{min(ratios):.2f} to {max(ratios):.2f}"
    )


if __name__ == "__main__":
    main()
