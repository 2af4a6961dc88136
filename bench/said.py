"""What failing scripts wrote to stderr, kept for tests/test_diagnose_said.py.

    dpkb verify --json > verified.json; python -m bench.said verified.json
    dpkb verify --torch 1.8.1 --json > verified.json; python -m bench.said verified.json

Texts of another torch or Python stand beside those that are kept already.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from dpkb.catalogue import load
from dpkb.entry import Outcome
from dpkb.paths import built_in_catalogue

SAID = Path(__file__).resolve().parents[1] / "tests" / "said.json"
LOUD = tuple(outcome.value for outcome in (Outcome.RAISED, Outcome.HUNG, Outcome.KILLED))
# The end of a text holds the news; what stands before it are other processes saying the same.
_KEPT = 6000
# Where this machine keeps things is no part of what a script said.
_FOLDERS = re.compile(r"/[^\s\"'<>,:]*/((?:site-packages|lib/python[\d.]+|reproducers)/)")


def loud_scripts(entries) -> list[tuple[str, str]]:
    """The failures that say something, of entries that know a line of it."""
    return [(entry.id, script.name) for entry in entries if entry.signatures for script in entry.scripts
            if script.name.startswith("broken") and script.shows and script.shows.value in LOUD]


def keep(verified: dict, said: dict[str, dict[str, str]], loud: set[tuple[str, str]]) -> int:
    """Take the texts of one `dpkb verify --json` over; how many there were."""
    here = verified["environment"]
    failed = [row for row in verified["results"] if (row["id"], row["script"]) in loud
              and row["outcome"] in LOUD and row["stderr"]]
    texts = {f"{row['id']}/{row['script']}": _FOLDERS.sub(r"…/\1", row["stderr"])[-_KEPT:] for row in failed}
    kept = said.setdefault(f"torch {here['torch']}, Python {here['python']}", {})
    kept.update(texts)
    return len(texts)


def main() -> None:
    """Merge one run into what is kept."""
    verified = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    said = json.loads(SAID.read_text(encoding="utf-8")) if SAID.exists() else {}
    loud = set(loud_scripts(load([built_in_catalogue()])))
    count = sum(keep(run, said, loud) for run in verified.get("runs", [verified]))
    SAID.write_text(json.dumps(said, indent=1, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{count} texts kept in {SAID}")


if __name__ == "__main__":
    main()
