"""Runs `dpkb audit` on scripts of the catalogue and says where its report is wrong.

    python -m tools.audit_catalogue [--torch VERSION] [--jobs N] [--cold] [--json FILE] [ID[/SCRIPT]…]

Each unhealthy script of an entry that has a check must be reported with its own id, unless its claim says
in `not_reported` why it cannot be. No healthy script may be reported, but for hints. Scripts that need a
place of their own (a small /dev/shm, root) are left out.

The scripts are forks of one process that has imported torch, which takes a third of the time; --cold runs
`dpkb audit` itself for each.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from dpkb.audit.collect import collect
from dpkb.audit.guest_half import FOLDER, all_checks
from dpkb.catalogue.load import Catalogue, load
from dpkb.model import Outcome, Reproducer
from dpkb.runner.audit_command import explain_failure
from dpkb.runner.relay import CommandEnd
from dpkb.runner.verify import read_scripts

ROOT = Path(__file__).resolve().parent.parent
_SECONDS = 180

# What the audit says of a script, and its exit code.
Row = dict[str, object]


def audit_warm(python: str, scripts: list[Reproducer], jobs: int, catalogue: Catalogue) -> list[Row]:
    """A row for each script, run as a fork of a process that has imported torch."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as parent:
        folders = {}
        for number, script in enumerate(scripts):
            folders[folder := str(Path(parent) / str(number))] = script
            Path(folder).mkdir()
        plan = {"at_once": jobs, "seconds": _SECONDS, "jobs": [
            {"script": str(script.path), "folder": folder, "open_files": script.needs.open_files}
            for folder, script in folders.items()]}
        rows = {}
        for folder, code in run_forks(python, plan, Path(parent) / "plan.json"):
            rows[folder] = _row(Path(folder), code, catalogue)
            shutil.rmtree(folder, ignore_errors=True)
        return [rows[folder] for folder in folders]


def run_forks(
    python: str, plan: dict[str, object], file: Path, **variables: str,
) -> Iterator[tuple[str, int]]:
    """Run the jobs of a plan for audit_template.py, written to `file`; the folder and exit code of each."""
    file.write_text(json.dumps({"guest": str(FOLDER), **plan}))
    template = subprocess.Popen(
        [python, str(ROOT / "tools" / "audit_template.py"), str(file)], stdout=subprocess.PIPE, text=True,
        env={**os.environ, "OMP_WAIT_POLICY": "PASSIVE", **variables})
    for line in template.stdout or ():
        ended = json.loads(line)
        yield ended["folder"], ended["code"]
    if template.wait():
        sys.exit(f"audit_template.py ended with {template.returncode}")


def _row(folder: Path, code: int, catalogue: Catalogue) -> Row:
    end = CommandEnd(code, (folder / "output").read_bytes().splitlines(), stalled=False)
    result = explain_failure(end, collect(folder), catalogue)
    return {
        "ids": sorted({finding.id for finding in result.findings}), "code": code,
        "failures": [why for _, why in result.failures],
        "messages": [f"{f.id} {f.certainty}: {f.message}{f.in_parentheses()}" for f in result.findings]}


def audit_cold(python: str, script: Reproducer) -> Row:
    """The row of one script: {"ids": […], "code": …, "failures": […], "messages": […]}."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [python, str(script.path)]
        if script.needs.open_files:
            command = ["sh", "-c", f'ulimit -n {script.needs.open_files} && exec "$@"', "sh", *command]
        # In a new session: a script that hangs is ended with all its processes.
        with (Path(folder) / "output").open("wb") as output:
            process = subprocess.Popen(
                [sys.executable, "-m", "dpkb", "audit", "--json", str(report), "--", *command], cwd=folder,
                stdout=output, stderr=output, start_new_session=True,
                # Two trainings run at a time: a thread that waits leaves its core to the other.
                env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_WAIT_POLICY": "PASSIVE"})
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
        "messages": [f"{f['id']} {f['certainty']}: {f['message']} ({f['where']})"
                     for f in document["findings"]]}


def problem(script: Reproducer, row: Row) -> str | None:
    """What is wrong with a report, if anything."""
    ids = set(row["ids"])  # type: ignore[call-overload]
    if row["failures"]:
        return f"failed: {str(row['failures'])[-300:]}"
    # If the script does not fail on this version, nothing may be reported.
    healthy = script.shows is Outcome.HEALTHY or row["code"] == 0
    if row["code"] == 77:
        return None
    if healthy and ids:
        return f"false: {row['messages']}"
    if healthy or script.entry not in all_checks():
        return None
    if script.not_reported and script.entry in ids:
        return f"reported, although `not_reported` says why it cannot be: {row['messages']}"
    if not script.not_reported and script.entry not in ids:
        return f"missed{': ' + str(row['messages']) if ids else ''}"
    return None


def main() -> None:
    """Run the tool."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="ID[/SCRIPT]")
    parser.add_argument("--torch")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--cold", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    python = sys.executable
    if options.torch:
        from dpkb.runner.torch_envs import torch_python

        python = torch_python(options.torch, print)
    # Entry -> the scripts that were named; none: all of them.
    names: dict[str, set[str]] = {}
    for name in options.names:
        entry, _, script_name = name.partition("/")
        names.setdefault(entry.upper(), set()).update({script_name.removesuffix(".py")} - {""})
    catalogue = load([ROOT])
    scripts = [script for script in read_scripts(catalogue, list(names))
               if not names.get(script.entry) or script.name in names[script.entry]]
    runnable = [script for script in scripts if "cpu" in script.needs.devices and script.needs.shm_mb is None]
    if options.cold:
        with ThreadPoolExecutor(options.jobs) as pool:
            rows = list(pool.map(lambda script: audit_cold(python, script), runnable))
    else:
        rows = audit_warm(python, runnable, options.jobs, catalogue)
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
