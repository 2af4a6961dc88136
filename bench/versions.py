"""Compares the time of `dpkb versions` on a tree with that of `ast.parse` on the same files.

python -m bench.versions TREE [RUNS]
"""

from __future__ import annotations

import argparse
import resource
import statistics
import sys
from pathlib import Path

from bench.lint import count_lines
from bench.timing import time_process

_PARSE = """
import ast, gc, pathlib, sys, warnings
warnings.simplefilter("ignore")
gc.disable()
for path in pathlib.Path(sys.argv[1]).rglob("*.py"):
    try:
        ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        pass
"""


def main() -> None:
    """Time both in turn, and print the median of the ratios of their processor time."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tree", type=Path)
    parser.add_argument("runs", nargs="?", type=int, default=3)
    options = parser.parse_args()
    versions = [sys.executable, "-m", "dpkb", "versions", "--json", str(options.tree)]
    parse = [sys.executable, "-c", _PARSE, str(options.tree)]
    ratios, peak = [], 0
    for _ in range(options.runs):
        used = time_process(versions, check=False).cpu
        peak = peak or resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        ratios.append(used / time_process(parse).cpu)
    print(f"{count_lines([options.tree])} lines, {options.runs} runs")
    print(
        f"time of dpkb versions in units of ast.parse: median {statistics.median(ratios):.1f}, "
        f"{min(ratios):.1f} to {max(ratios):.1f}; at most {peak / 1024:.0f} MiB"
    )


if __name__ == "__main__":
    main()
