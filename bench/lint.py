"""Counts what `dpkb lint` finds in trees of real code, and compares its time with other checkers.

    python -m bench.lint TREE...                 findings of each entry, lines, times of other checkers
    python -m bench.lint --list TREE...          each finding, to be read by a person
    python -m bench.lint --record FILE TREE...   the counts as JSON, for the page about lint

Only a person can tell how many findings are wrong: `--wrong N2=3` records their number.
Each checker runs three times in one process, on all trees or on that of `--time TREE`. Its least processor
time counts. A checker that is not installed is left out.
"""

from __future__ import annotations

import argparse
import collections
import datetime
import json
import shutil
import sys
from pathlib import Path

from bench.timing import time_process
from dpkb import __version__
from dpkb.lint.run import LintResult, Selection, lint
from dpkb.output.lint import format_position
from dpkb.source_code.find_files import find_files

OTHERS = {
    "ruff": ["ruff", "check", "--no-cache", "--quiet", "--exit-zero", "--isolated"],
    "flake8": ["flake8", "--jobs", "1", "--isolated", "--exit-zero", "--select", "F"],
    "torchfix": ["torchfix", "--select", "ALL"],
}


def main() -> None:
    """Print the findings by rule, and the time of each checker."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trees", nargs="+", type=Path)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--record", type=Path, metavar="FILE")
    parser.add_argument("--wrong", action="append", default=[], metavar="ID=NUMBER")
    parser.add_argument("--no-times", action="store_true")
    parser.add_argument("--time", type=Path, metavar="TREE")
    options = parser.parse_args()
    lines = count_lines(options.trees)
    result = lint(dict.fromkeys(options.trees, Selection()))
    if options.list:
        for finding in result.findings:
            print(
                f"{format_position(finding)}: {finding.id} {finding.certainty.value}: {finding.message}\n"
                f"    {finding.source_line.strip()}"
            )
    by_certainty = collections.Counter((finding.id, finding.certainty.value) for finding in result.findings)
    for (rule, certainty), number in sorted(by_certainty.items()):
        print(f"{rule:6} {certainty:8} {number:5}")
    print(
        f"{len(result.findings)} findings in {lines} lines of {result.files} files, "
        f"{len(result.unreadable)} files left out"
    )
    timed_trees = [options.time] if options.time else options.trees
    times = {} if options.no_times else time_checkers(timed_trees)
    for name, seconds in times.items():
        print(f"{name:10} {seconds:6.2f} s {count_lines(timed_trees) / seconds:9.0f} lines per second")
    if options.record:
        wrong = {rule: int(number) for rule, _, number in (item.partition("=") for item in options.wrong)}
        counts = count_findings(options.trees, result, wrong, times)
        if options.time:
            counts |= {"timed_lines": count_lines(timed_trees), "timed_on": repository_name(options.time)}
        options.record.write_text(json.dumps(counts, indent=1) + "\n")


def count_lines(trees: list[Path]) -> int:
    """Count the lines of all Python files. Notebooks are checked, but have no lines to count."""
    return sum(path.read_bytes().count(b"\n") for path in find_files(trees) if path.suffix == ".py")


def repository_name(tree: Path) -> str:
    """The owner/name of a tree, whose folder is called owner+name."""
    return tree.name.replace("+", "/")


def time_checkers(trees: list[Path]) -> dict[str, float]:
    """The least processor time of each checker in seconds. Other work on the machine adds little."""
    commands = {"dpkb lint": [sys.executable, "-m", "dpkb", "lint", "--jobs", "1", "--json"]}
    for name, command in OTHERS.items():
        program = shutil.which(command[0]) or shutil.which(command[0], path=Path(sys.executable).parent)
        if program:
            commands[name] = [program, *command[1:]]
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(3):
        for name, command in commands.items():
            times[name].append(time_process([*command, *map(str, trees)], check=False).cpu)
    return {name: min(seconds) for name, seconds in times.items()}


def count_findings(
    trees: list[Path], result: LintResult, wrong: dict[str, int], times: dict[str, float]
) -> dict[str, object]:
    """Count the findings by rule and the lines by tree, for the page about lint."""
    sizes = {repository_name(tree): count_lines([tree]) for tree in trees}
    by_rule = collections.Counter(finding.id for finding in result.findings)
    return {
        "version": __version__,
        "date": datetime.date.today().isoformat(),
        "lines": sum(sizes.values()),
        "findings": len(result.findings),
        "wrong": sum(wrong.values()),
        "trees": {name: size for name, size in sizes.items() if size},
        "rules": {
            rule: {"findings": number, "wrong": wrong.get(rule, 0)}
            for rule, number in sorted(by_rule.items())
        },
        "seconds": {name: round(value, 2) for name, value in times.items()},
    }


if __name__ == "__main__":
    main()
