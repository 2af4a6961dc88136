"""Pairs of scripts with a careless fault, as catalogues that dpkb can check, verify and mutate.

They are in `tests/judge/careless/*.txt`: a line `=== name: the fault`, optionally `shows: raises <pattern>`,
then the lines of both scripts, each marked with `|` (both), `-` (only broken.py) or `+` (only fixed.py).
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from support import ENTRY, ROOT, SEARCH

FOLDER = ROOT / "tests/judge/careless"
_HEAD = '''"""{id}: {fault}

It was written for a test.

Symptom: none
Needs:   torch; cpu; about 2 s
Run:     python broken.py; python fixed.py
"""

import json
import sys

'''


@dataclass(frozen=True)
class Pair:
    """Two scripts that look like a failure and its fix, and the fault because of which they prove nothing."""

    name: str
    fault: str
    pattern: str | None
    broken: str
    fixed: str

    def write(self, folder: Path, entry_id: str) -> None:
        """Add the pair to a catalogue as a new entry."""
        stem = f"{entry_id.lower()}_{self.name}"
        scripts = folder / "reproducers" / stem
        scripts.mkdir(parents=True)
        (folder / "kb").mkdir(exist_ok=True)
        extra = f"    pattern: {json.dumps(self.pattern)}\n" if self.pattern else ""
        text = ENTRY.format(
            id=entry_id,
            shows="raises" if self.pattern else "wrong-result",
            extra=extra,
            symptom="It is there.",
        )
        (folder / "kb" / f"{stem}.md").write_text(text, encoding="utf-8")
        (folder / "kb" / f"{stem}.search.yaml").write_text(SEARCH, encoding="utf-8")
        for name in ("broken", "fixed"):
            head = _HEAD.format(id=entry_id, fault=self.fault)
            (scripts / f"{name}.py").write_text(head + getattr(self, name), encoding="utf-8")


def read_pairs(file: str) -> list[Pair]:
    """Read the pairs of one file of the folder."""
    blocks = re.split(r"^=== ", (FOLDER / file).read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return [_parse_pair(block) for block in blocks]


def _parse_pair(block: str) -> Pair:
    head, *lines = block.rstrip("\n").split("\n")
    name, _, fault = head.partition(": ")
    pattern = lines.pop(0).removeprefix("shows: raises ") if lines[0].startswith("shows: ") else None
    sides = {side: "\n".join(line[2:] for line in lines if line[:1] in f"|{side}") + "\n" for side in "-+"}
    broken, fixed = (_add_torch_import(sides[side]) for side in "-+")
    return Pair(name, fault, pattern, broken, fixed)


def _add_torch_import(body: str) -> str:
    imports = re.match(r"(?:(?:import|from) (?!torch)[^\n]*\n)*", body)
    rest = body[imports.end() :].lstrip("\n")
    return f"{imports[0]}\nimport torch\n{'' if rest.startswith(('import', 'from')) else chr(10)}{rest}"
