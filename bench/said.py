"""What failing scripts wrote to stderr, kept for tests/test_diagnose_said.py.

    dpkb verify --json > v.json; python -m bench.said v.json
    dpkb verify --torch 1.8.1 --json > v.json; python -m bench.said v.json

Texts of another torch or Python stand beside those that are kept already; what is the same but for its
numbers (lines of files, processes, times) is kept once, with every version that said it.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path

from dpkb.catalogue.load import load
from dpkb.model import Entry, Outcome
from dpkb.paths import built_in_catalogue

SAID = Path(__file__).resolve().parents[1] / "tests" / "diagnosis" / "recorded_logs.json"
LOUD = tuple(outcome.value for outcome in (Outcome.RAISED, Outcome.HUNG, Outcome.KILLED))
# The end of a text holds the news; what stands before it are other processes saying the same.
_KEPT = 6000
# Where this machine keeps things is no part of what a script said, nor is the runner's own frame.
_FOLDERS = re.compile(r"/[^\s\"'<>,:]*/((?:site-packages|lib/python[\d.]+|reproducers)/)")
_TEMPORARY = re.compile(r"/tmp/dpkb-\w+/(?:w/)?")
_RUNNER = re.compile(r'^ *File "[^"]*/dpkb/guest/template\.py", line \d+, in .*\n(?: {4}.*\n)?', re.MULTILINE)
_QUOTED = re.compile(r'^(\W*File "[^"]+", line \d+.*\n)(?:\W*(?:rank\d\W+)? {4}.*\n)+', re.MULTILINE)

Said = dict[str, list[dict]]


def loud_scripts(entries: Iterable[Entry]) -> set[str]:
    """The scripts that say something when they fail, as `ID/name`."""
    return {f"{entry.id}/{script.name}" for entry in entries for script in entry.scripts
            if script.shows and script.shows.value in LOUD}


def as_said(stderr: str) -> str:
    """What a script wrote, without what is of this machine and of the runner."""
    text = _RUNNER.sub("", stderr)
    return _TEMPORARY.sub("/tmp/", _FOLDERS.sub(r"…/\1", text))[-_KEPT:]


def wording(text: str) -> str:
    """What two versions have in common that say the same: no quoted source, no numbers."""
    return re.sub(r"0x[0-9a-f]+|\d+|/tmp/\S+", "0", _QUOTED.sub(r"\1", text))


def keep(run: dict, said: Said, loud: set[str]) -> int:
    """Take the texts of one `dpkb verify --json` over; how many there were."""
    version = f"torch {run['environment']['torch']}, Python {run['environment']['python']}"
    texts = {f"{row['id']}/{row['script']}": as_said(row["stderr"]) for row in run["results"]
             if row["outcome"] in LOUD and row["stderr"]}
    texts = {script: text for script, text in texts.items() if script in loud}
    for script, text in texts.items():
        kept = said.setdefault(script, [])
        for one in kept:
            one["versions"] = [v for v in one["versions"] if v != version]
        same = next((one for one in kept if wording(one["text"]) == wording(text)), None)
        if same is None:
            same = {"text": text, "versions": []}
            kept.append(same)
        same["versions"] = sorted([*same["versions"], version])
        said[script] = [one for one in kept if one["versions"]]
    return len(texts)


def main() -> None:
    """Merge runs into what is kept."""
    said = json.loads(SAID.read_text(encoding="utf-8")) if SAID.exists() else {}
    loud = loud_scripts(load([built_in_catalogue()]))
    count = 0
    for name in sys.argv[1:]:
        verified = json.loads(Path(name).read_text(encoding="utf-8"))
        count += sum(keep(run, said, loud) for run in verified.get("runs", [verified]))
    # What a script that is gone said is of no use.
    said = {script: kept for script, kept in said.items() if script in loud}
    SAID.write_text(json.dumps(said, indent=1, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{count} texts, kept in {SAID}: {sum(map(len, said.values()))} of {len(said)} scripts")


if __name__ == "__main__":
    main()
