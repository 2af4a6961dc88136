"""Runs `dpkb audit` on scripts of the catalogue, and prints which reports are wrong.

    python -m tools.audit_catalogue [--torch VERSION] [--jobs N] [--cold] [--cuda] [--json FILE] [NAME…]

A NAME is an id, or ID/SCRIPT.

If an entry has a check, each of its unhealthy scripts must be reported with its id. There are two exceptions:
`not_reported` in the claim says why it cannot be, or the report says that the check sees nothing with this
version of torch. For healthy scripts, only hints may be reported. Scripts that need special conditions (a
small /dev/shm, root) are left out.

The scripts run as forks of one process that has imported torch, which takes a third of the time. --cold
starts `dpkb audit` for each script instead. --cuda says that this machine has a GPU. Then scripts that can
use it run too, each as with --cold: a fork cannot use CUDA if its parent has started it.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path

from dpkb.audit.collect import collect
from dpkb.audit.failure import explain_failure
from dpkb.audit.guest_half import FOLDER, all_checks
from dpkb.catalogue.load import Catalogue, load
from dpkb.model import Outcome, Reproducer, Script
from dpkb.run_records import CommandEnd
from dpkb.runner.verify import read_scripts

ROOT = Path(__file__).resolve().parent.parent
_MAX_SECONDS = 180


@dataclass(frozen=True)
class ScriptReport:
    """The report of the audit on one script."""

    # The entries that its findings name.
    ids: list[str]
    # The exit code of the script; None if it was ended before the audit could report.
    code: int | None
    # Tracebacks of checks that failed.
    failures: list[str]
    # A line for each finding.
    messages: list[str]
    # What could not be watched. If this concerns one check only, the text begins with the id of its entry.
    not_watched: list[str] = field(default_factory=list)


def audit_warm(python: str, scripts: list[Reproducer], jobs: int, catalogue: Catalogue) -> list[ScriptReport]:
    """Run each script as a fork of a process that has imported torch, and return the reports."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as parent:
        folders = {}
        for number, script in enumerate(scripts):
            folders[folder := str(Path(parent) / str(number))] = script
            Path(folder).mkdir()
        plan = {
            "at_once": jobs,
            "seconds": _MAX_SECONDS,
            "jobs": [
                {"script": str(script.path), "folder": folder, "open_files": script.needs.open_files}
                for folder, script in folders.items()
            ],
        }
        reports = {}
        for folder, code in run_forks(python, plan, Path(parent) / "plan.json"):
            reports[folder] = _read_report(Path(folder), code, catalogue)
            shutil.rmtree(folder, ignore_errors=True)
        return [reports[folder] for folder in folders]


def run_forks(
    python: str,
    plan: dict[str, object],
    file: Path,
    **variables: str,
) -> Iterator[tuple[str, int]]:
    """Run the jobs of a plan by audit_fork_server.py, and yield the folder and the exit code of each.

    The plan is written to `file`. variables: added to the environment.
    """
    file.write_text(json.dumps({"guest": str(FOLDER), **plan}))
    fork_server = subprocess.Popen(
        [python, str(ROOT / "tools" / "audit_fork_server.py"), str(file)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "OMP_WAIT_POLICY": "PASSIVE", **variables},
    )
    for line in fork_server.stdout or ():
        job = json.loads(line)
        yield job["folder"], job["code"]
    if fork_server.wait():
        sys.exit(f"audit_fork_server.py ended with {fork_server.returncode}")


def _read_report(folder: Path, code: int, catalogue: Catalogue) -> ScriptReport:
    end = CommandEnd(code, (folder / "output").read_bytes().splitlines(), stalled=False)
    result = explain_failure(end, collect(folder), catalogue)
    return ScriptReport(
        sorted({finding.id for finding in result.findings}),
        code,
        [why for _, why in result.failed_checks],
        [f"{f.id} {f.certainty}: {f.message}{f.line_in_parentheses()}" for f in result.findings],
        result.unwatched_parts,
    )


def audit_cold(python: str, script: Reproducer) -> ScriptReport:
    """Start `dpkb audit` for one script, and return its report."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [python, str(script.path)]
        if script.needs.open_files:
            command = ["sh", "-c", f'ulimit -n {script.needs.open_files} && exec "$@"', "sh", *command]
        # In a new session, so that a script that hangs can be ended with all its processes.
        with (Path(folder) / "output").open("wb") as output:
            process = subprocess.Popen(
                [sys.executable, "-m", "dpkb", "audit", "--json", str(report), "--", *command],
                cwd=folder,
                stdout=output,
                stderr=output,
                start_new_session=True,
                # Two programs run at a time: a waiting thread must leave its core to the other program.
                env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_WAIT_POLICY": "PASSIVE"},
            )
        try:
            process.wait(_MAX_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if not report.exists():
            return ScriptReport([], None, [f"no report within {_MAX_SECONDS} s"], [])
        document = json.loads(report.read_text())
    findings = document["findings"]
    return ScriptReport(
        sorted({finding["id"] for finding in findings}),
        document["exit_code"],
        [failure["traceback"] for failure in document["failures"]],
        [f"{f['id']} {f['certainty']}: {f['message']} ({f['where']})" for f in findings],
        document["not_watched"],
    )


def describe_problem(script: Script, report: ScriptReport, versions: dict[str, str | None]) -> str | None:
    """Say what is wrong with a report, or return None. versions: that of torch in the run."""
    if report.failures:
        return f"failed: {str(report.failures)[-300:]}"
    # If the script does not fail on this version, nothing may be reported.
    healthy = script.shows is Outcome.HEALTHY or report.code == 0
    if report.code == 77:
        return None
    if report.code and script.shows is Outcome.HEALTHY and not script.range.covers(versions):
        return None  # this fix does not work on this version
    if healthy and report.ids:
        return f"false: {report.messages}"
    if healthy or script.entry not in all_checks():
        return None
    if script.not_reported and script.entry in report.ids:
        return f"reported, although `not_reported` says why it cannot be: {report.messages}"
    if any(text.startswith(f"{script.entry}:") for text in report.not_watched):
        return None
    if not script.not_reported and script.entry not in report.ids:
        return f"missed{': ' + str(report.messages) if report.ids else ''}"
    return None


def main() -> None:
    """Audit the scripts that the command line names, and print what is wrong with their reports."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="ID[/SCRIPT]")
    parser.add_argument("--torch")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--cold", action="store_true")
    parser.add_argument("--cuda", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    python = sys.executable
    if options.torch:
        from dpkb.runner.torch_envs import ensure_torch_python

        python = ensure_torch_python(options.torch, print)
    # Entry -> the scripts that the command line names; an empty set stands for all of them.
    names: dict[str, set[str]] = {}
    for name in options.names:
        entry, _, script_name = name.partition("/")
        names.setdefault(entry.upper(), set()).update({script_name.removesuffix(".py")} - {""})
    catalogue = load([ROOT])
    scripts = [
        script
        for script in read_scripts(catalogue, list(names))
        if not names.get(script.entry) or script.name in names[script.entry]
    ]
    runnable = [
        script
        for script in scripts
        if (options.cuda or "cpu" in script.needs.devices) and script.needs.shm_mb is None
    ]
    cold: list[Reproducer] = []
    warm: list[Reproducer] = []
    for script in runnable:
        is_cold = options.cold or (options.cuda and "cuda" in script.needs.devices)
        (cold if is_cold else warm).append(script)
    reports = audit_warm(python, warm, options.jobs, catalogue) if warm else []
    with ThreadPoolExecutor(options.jobs) as pool:
        reports += pool.map(lambda script: audit_cold(python, script), cold)
    runnable = warm + cold
    wrong_reports, versions = 0, {"torch": options.torch or version("torch")}
    for script, report in zip(runnable, reports, strict=True):
        if problem := describe_problem(script, report, versions):
            wrong_reports += 1
            print(f"{script.key}: {problem}")
    print(f"{len(runnable)} scripts, {len(scripts) - len(runnable)} left out, {wrong_reports} wrong")
    if options.json:
        options.json.write_text(
            json.dumps(
                {script.key: asdict(report) for script, report in zip(runnable, reports, strict=True)},
                indent=1,
            )
        )
    sys.exit(1 if wrong_reports else 0)


if __name__ == "__main__":
    main()
