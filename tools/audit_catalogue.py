"""Runs `dpkb audit` on scripts of the catalogue and says where its report is wrong.

    python -m tools.audit_catalogue [--torch VERSION] [--jobs N] [--json FILE] [ID[/SCRIPT]…]

Each unhealthy script of an entry that has a check must be reported with its own id, and no healthy script
with anything above a hint. Scripts that need a place of their own (a small /dev/shm, root) are left out.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from dpkb.audit.guest import all_checks
from dpkb.catalogue.load import load
from dpkb.model import Outcome, Reproducer
from dpkb.runner.verify import read_scripts

ROOT = Path(__file__).resolve().parent.parent
_SECONDS = 180


def audit_script(python: str, script: Reproducer) -> dict[str, object]:
    """The findings and the exit code of one script: {"ids": […], "code": …, "failures": […]}."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [python, str(script.path)]
        if script.needs.open_files:
            command = ["sh", "-c", f'ulimit -n {script.needs.open_files} && exec "$@"', "sh", *command]
        # In a session of its own: one that hangs is ended with all its processes.
        with (Path(folder) / "output").open("wb") as output:
            process = subprocess.Popen(
                [sys.executable, "-m", "dpkb", "audit", "--json", str(report), "--", *command], cwd=folder,
                stdout=output, stderr=output, start_new_session=True,
                env={**os.environ, "PYTHONPATH": str(ROOT)})
        try:
            process.wait(_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
        if not report.exists():
            return {"ids": [], "code": None, "failures": [f"no report within {_SECONDS} s"], "messages": []}
        document = json.loads(report.read_text())
    return {
        "ids": sorted({finding["id"] for finding in document["findings"]}), "code": document["exit_code"],
        "failures": [failure["traceback"] for failure in document["failures"]],
        "messages": [f"{f['id']} {f['certainty']}: {f['message']} ({f['where']['file']}:{f['where']['line']})"
                     for f in document["findings"]]}


def problem(script: Reproducer, row: dict[str, object]) -> str | None:
    """What is wrong with a report, if anything."""
    ids = set(row["ids"])  # type: ignore[call-overload]
    if row["failures"]:
        return f"failed: {str(row['failures'])[-300:]}"
    # Where the script does not fail on this version, nothing is to be seen.
    healthy = script.shows is Outcome.HEALTHY or row["code"] == 0
    if row["code"] == 77:
        return None
    if healthy and ids:
        return f"false: {row['messages']}"
    if not healthy and script.entry in all_checks() and script.entry not in ids:
        return f"missed{': ' + str(row['messages']) if ids else ''}"
    return None


def main() -> None:
    """Run the tool."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="ID[/SCRIPT]")
    parser.add_argument("--torch")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    python = sys.executable
    if options.torch:
        from dpkb.runner.session import torch_python

        python = torch_python(options.torch, print)
    # Entry -> the scripts that were named; none: all of them.
    names: dict[str, set[str]] = {}
    for name in options.names:
        entry, _, script_name = name.partition("/")
        names.setdefault(entry.upper(), set()).update({script_name.removesuffix(".py")} - {""})
    scripts = [script for script in read_scripts(load([ROOT]), list(names))
               if not names.get(script.entry) or script.name in names[script.entry]]
    runnable = [script for script in scripts if "cpu" in script.needs.devices and script.needs.shm_mb is None]
    with ThreadPoolExecutor(options.jobs) as pool:
        rows = list(pool.map(lambda script: audit_script(python, script), runnable))
    wrong = 0
    for script, row in zip(runnable, rows, strict=True):
        if text := problem(script, row):
            wrong += 1
            print(f"{script.key}: {text}")
    print(f"{len(runnable)} scripts, {len(scripts) - len(runnable)} left out, {wrong} wrong")
    if options.json:
        options.json.write_text(json.dumps(
            {script.key: row for script, row in zip(runnable, rows, strict=True)}, indent=1))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
