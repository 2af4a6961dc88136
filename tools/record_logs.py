"""Records the stderr of failing scripts for tests/diagnosis/test_recorded_logs.py.

    dpkb verify --json > v.json; python -m tools.record_logs v.json
    dpkb verify --torch 1.8.1 --json > v.json; python -m tools.record_logs v.json

Recorded logs of other versions of torch or Python stay. Logs that differ only in their numbers (of lines,
processes, times) are recorded once, with every version that printed them.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dpkb.catalogue.load import load
from dpkb.model import Entry, Outcome
from dpkb.paths import find_built_in_catalogue
from dpkb.runner import scratch

RECORDED_LOGS = Path(__file__).resolve().parents[1] / "tests" / "diagnosis" / "recorded_logs.json"
# The outcomes of scripts that print an error.
ERROR_OUTCOMES = tuple(outcome.value for outcome in (Outcome.RAISED, Outcome.HUNG, Outcome.KILLED))
# The error is at the end of a log. What comes before is often repeated by other processes.
_MAX_CHARACTERS = 6000
# Folders of this machine, and the runner's own frame of a traceback.
_FOLDERS = re.compile(r"/[^\s\"'<>,:]*/((?:site-packages|lib/python[\d.]+|reproducers)/)")
# Folders that uv and dpkb keep packages and environments in.
_CACHES = re.compile(r"/[^\s\"'<>,:]*/(?:archive-v0/[\w-]+|environments/[\w.-]+)/")
# No file of the project has the address of a package registry.
_REGISTRY = re.compile(r"https?://(?:[\w.]*\.)?pypi\.org[^\s\")\]]*")
_SCRATCH = re.compile(rf"/[^\s\"'<>,:]*/{re.escape(scratch.PREFIX)}\w+/(?:w/)?")
_RUNNER = re.compile(
    r'^ *File "[^"]*/dpkb/guest/fork_server\.py", line \d+,? in .*\n(?: {4}.*\n)?', re.MULTILINE
)
_QUOTED = re.compile(r'^(\W*File "[^"]+", line \d+.*\n)(?:\W*(?:rank\d\W+)? {4}.*\n)+', re.MULTILINE)

# Script -> its logs: {"text", "versions"}.
Logs = dict[str, list[dict[str, Any]]]


def find_scripts_with_errors(entries: Iterable[Entry]) -> set[str]:
    """The scripts that print an error when they fail, as `ID/name`."""
    return {
        f"{entry.id}/{script.name}"
        for entry in entries
        for script in entry.scripts
        if script.shows and script.shows.value in ERROR_OUTCOMES
    }


def strip_machine_paths(stderr: str) -> str:
    """The end of a log without the folders of this machine and the frames of the runner."""
    text = _REGISTRY.sub("…", _RUNNER.sub("", stderr))
    text = _CACHES.sub("…/", _FOLDERS.sub(r"…/\1", text))
    return _SCRATCH.sub("/tmp/", text)[-_MAX_CHARACTERS:]


def strip_variable_parts(text: str) -> str:
    """A log without what differs between versions: source lines and numbers."""
    return re.sub(r"0x[0-9a-f]+|\d+|/tmp/\S+", "0", _QUOTED.sub(r"\1", text))


def add_logs(run: dict[str, Any], logs: Logs, scripts: set[str]) -> int:
    """Add the logs of these scripts from one `dpkb verify --json`; return how many there were."""
    version = f"torch {run['environment']['torch']}, Python {run['environment']['python']}"
    texts = {
        f"{row['id']}/{row['script']}": strip_machine_paths(row["stderr"])
        for row in run["results"]
        if row["outcome"] in ERROR_OUTCOMES and row["stderr"]
    }
    texts = {script: text for script, text in texts.items() if script in scripts}
    for script, text in texts.items():
        recorded = logs.setdefault(script, [])
        for log in recorded:
            log["versions"] = [v for v in log["versions"] if v != version]
        wording = strip_variable_parts(text)
        same = next((log for log in recorded if strip_variable_parts(log["text"]) == wording), None)
        if same is None:
            same = {"text": text, "versions": []}
            recorded.append(same)
        same["versions"] = sorted([*same["versions"], version])
        logs[script] = [log for log in recorded if log["versions"]]
    return len(texts)


def main() -> None:
    """Add the logs of the runs that the command line names to the recorded logs."""
    logs = json.loads(RECORDED_LOGS.read_text(encoding="utf-8")) if RECORDED_LOGS.exists() else {}
    catalogue = load([find_built_in_catalogue()])
    if catalogue.unreadable_count:
        # Their logs would be removed, as if their scripts no longer existed.
        sys.exit(f"{catalogue.unreadable_count} entries cannot be read; `dpkb check` says why")
    scripts = find_scripts_with_errors(catalogue)
    count = 0
    for name in sys.argv[1:]:
        report = json.loads(Path(name).read_text(encoding="utf-8"))
        count += sum(add_logs(run, logs, scripts) for run in report.get("runs", [report]))
    # The logs of a script that no longer exists are of no use.
    logs = {script: recorded for script, recorded in logs.items() if script in scripts}
    text = json.dumps(logs, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    RECORDED_LOGS.write_text(text, encoding="utf-8")
    total = sum(map(len, logs.values()))
    print(f"{count} logs added; {RECORDED_LOGS} has {total} logs of {len(logs)} scripts")


if __name__ == "__main__":
    main()
