"""Records what failing scripts wrote to stderr, for tests/diagnosis/test_recorded_logs.py.

    dpkb verify --json > v.json; python -m tools.record_logs v.json
    dpkb verify --torch 1.8.1 --json > v.json; python -m tools.record_logs v.json

Logs of other versions of torch or Python are added to those that are kept. Logs that differ only in their
numbers (lines of files, processes, times) are kept once, with every version that printed them.
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
from dpkb.paths import built_in_catalogue
from dpkb.runner import scratch

RECORDED_LOGS = Path(__file__).resolve().parents[1] / "tests" / "diagnosis" / "recorded_logs.json"
LOUD = tuple(outcome.value for outcome in (Outcome.RAISED, Outcome.HUNG, Outcome.KILLED))
# The end of a log has the error; before it, other processes print the same.
_KEPT = 6000
# The folders of this machine and the runner's own stack frame are not the script's.
_FOLDERS = re.compile(r"/[^\s\"'<>,:]*/((?:site-packages|lib/python[\d.]+|reproducers)/)")
_SCRATCH = re.compile(rf"/[^\s\"'<>,:]*/{re.escape(scratch.PREFIX)}\w+/(?:w/)?")
_RUNNER = re.compile(r'^ *File "[^"]*/dpkb/guest/fork_server\.py", line \d+, in .*\n(?: {4}.*\n)?',
                     re.MULTILINE)
_QUOTED = re.compile(r'^(\W*File "[^"]+", line \d+.*\n)(?:\W*(?:rank\d\W+)? {4}.*\n)+', re.MULTILINE)

# Script -> its logs: {"text", "versions"}.
Logs = dict[str, list[dict[str, Any]]]


def loud_scripts(entries: Iterable[Entry]) -> set[str]:
    """The scripts that print an error when they fail, as `ID/name`."""
    return {f"{entry.id}/{script.name}" for entry in entries for script in entry.scripts
            if script.shows and script.shows.value in LOUD}


def without_machine(stderr: str) -> str:
    """What a script wrote, without the folders of this machine and the frames of the runner."""
    text = _RUNNER.sub("", stderr)
    return _SCRATCH.sub("/tmp/", _FOLDERS.sub(r"…/\1", text))[-_KEPT:]


def wording(text: str) -> str:
    """The part of a log that is the same in every version: no quoted source, no numbers."""
    return re.sub(r"0x[0-9a-f]+|\d+|/tmp/\S+", "0", _QUOTED.sub(r"\1", text))


def keep(run: dict[str, Any], logs: Logs, loud: set[str]) -> int:
    """Add the logs of one `dpkb verify --json`; return how many there were."""
    version = f"torch {run['environment']['torch']}, Python {run['environment']['python']}"
    texts = {f"{row['id']}/{row['script']}": without_machine(row["stderr"]) for row in run["results"]
             if row["outcome"] in LOUD and row["stderr"]}
    texts = {script: text for script, text in texts.items() if script in loud}
    for script, text in texts.items():
        kept = logs.setdefault(script, [])
        for one in kept:
            one["versions"] = [v for v in one["versions"] if v != version]
        same = next((one for one in kept if wording(one["text"]) == wording(text)), None)
        if same is None:
            same = {"text": text, "versions": []}
            kept.append(same)
        same["versions"] = sorted([*same["versions"], version])
        logs[script] = [one for one in kept if one["versions"]]
    return len(texts)


def main() -> None:
    """Add the logs of these runs to those that are kept."""
    logs = json.loads(RECORDED_LOGS.read_text(encoding="utf-8")) if RECORDED_LOGS.exists() else {}
    catalogue = load([built_in_catalogue()])
    if catalogue.unreadable:
        # Their logs would be removed, as if their scripts no longer existed.
        sys.exit(f"{catalogue.unreadable} entries cannot be read; `dpkb check` says why")
    loud = loud_scripts(catalogue)
    count = 0
    for name in sys.argv[1:]:
        verified = json.loads(Path(name).read_text(encoding="utf-8"))
        count += sum(keep(run, logs, loud) for run in verified.get("runs", [verified]))
    # The logs of a script that no longer exists are of no use.
    logs = {script: kept for script, kept in logs.items() if script in loud}
    text = json.dumps(logs, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    RECORDED_LOGS.write_text(text, encoding="utf-8")
    print(f"{count} logs, kept in {RECORDED_LOGS}: {sum(map(len, logs.values()))} of {len(logs)} scripts")


if __name__ == "__main__":
    main()
