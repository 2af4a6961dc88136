"""What `dpkb lint` finds in trees of real code, and how long it takes against other checkers.

    python -m bench.lint TREE...            findings of each entry, lines, time beside ruff, flake8, torchfix
    python -m bench.lint --list TREE...     each finding, to be read by hand

One process each, in turn, three times; the least time counts. A checker that is not installed is left out.
"""

from __future__ import annotations

import argparse
import collections
import shutil
import subprocess
import sys
import time
from pathlib import Path

from dpkb.lint.run import Selection, find_files, lint
from dpkb.output.lint import place

OTHERS = {
    "ruff": ["ruff", "check", "--no-cache", "--quiet", "--exit-zero", "--isolated"],
    "flake8": ["flake8", "--jobs", "1", "--isolated", "--exit-zero", "--select", "F"],
    "torchfix": ["torchfix", "--select", "ALL"],
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("trees", nargs="+", type=Path)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    files = [path for path in find_files(options.trees) if path.suffix == ".py"]
    lines = sum(path.read_bytes().count(b"\n") for path in files)
    result = lint(options.trees, Selection())
    if options.list:
        for finding in result.findings:
            print(f"{place(finding)}: {finding.id} {finding.certainty.value}: {finding.message}\n"
                  f"    {finding.source_line.strip()}")
    counts = collections.Counter((finding.id, finding.certainty.value) for finding in result.findings)
    for (rule, certainty), number in sorted(counts.items()):
        print(f"{rule:6} {certainty:8} {number:5}")
    print(f"{len(result.findings)} findings in {lines} lines of {len(files)} files, "
          f"{len(result.unreadable)} files left out")
    commands = {"dpkb lint": [sys.executable, "-m", "dpkb", "lint", "--jobs", "1", "--statistics"]}
    for name, command in OTHERS.items():
        program = shutil.which(command[0]) or shutil.which(command[0], path=Path(sys.executable).parent)
        if program:
            commands[name] = [program, *command[1:]]
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(3):
        for name, command in commands.items():
            start = time.perf_counter()
            subprocess.run([*command, *map(str, options.trees)], stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, check=False)
            times[name].append(time.perf_counter() - start)
    for name, seconds in times.items():
        print(f"{name:10} {min(seconds):6.2f} s {lines / min(seconds):9.0f} lines a second")


if __name__ == "__main__":
    main()
