"""Pairs of scripts with a careless fault, as catalogues that dpkb can check, verify and mutate.

They are in `tests/judge/careless/*.txt`: a line `=== name: the fault`, optionally what its author says (`title:`,
`fails:` and `works:` for the two claims) and `shows: raises <pattern>`, then the lines of both scripts, each
marked with `|` (both), `-` (only broken.py) or `+` (only fixed.py).
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from support import ENTRY, ROOT, SEARCH

FOLDER = ROOT / "tests/judge/careless"
_HEAD = '''"""{id}: {title}

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
    texts: dict[str, str]
    broken: str
    fixed: str

    def write(self, folder: Path, entry_id: str) -> None:
        """Add the pair to a catalogue as a new entry."""
        stem = f"{entry_id.lower()}_{self.name}"
        scripts = folder / "reproducers" / stem
        scripts.mkdir(parents=True)
        (folder / "kb").mkdir(exist_ok=True)
        raises = self.texts["shows"].startswith("raises ")
        pattern = self.texts["shows"].removeprefix("raises ")
        extra = f"    pattern: {json.dumps(pattern)}\n" if raises else ""
        text = ENTRY.format(
            id=entry_id,
            shows="raises" if raises else self.texts["shows"],
            extra=extra,
            symptom="It is there.",
        ).replace(", with bool() in experiment() and value=2", "")
        for key, default in (
            ("title", "A failure made for a test"),
            ("fails", "it fails"),
            ("works", "it works"),
        ):
            text = text.replace(f": {default}\n", f": {json.dumps(self.texts.get(key, default))}\n")
        (folder / "kb" / f"{stem}.md").write_text(text, encoding="utf-8")
        (folder / "kb" / f"{stem}.search.yaml").write_text(
            SEARCH.replace("one, two, three", "careless, pair, test"), encoding="utf-8"
        )
        head = _HEAD.format(id=entry_id, title=self.texts.get("title", self.texts["fault"]))
        for name in ("broken", "fixed"):
            (scripts / f"{name}.py").write_text(head + getattr(self, name), encoding="utf-8")


def read_pairs(file: str) -> list[Pair]:
    """Read the pairs of one file of the folder."""
    blocks = re.split(r"^=== ", (FOLDER / file).read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return [_parse_pair(block) for block in blocks]


def _parse_pair(block: str) -> Pair:
    head, *lines = block.rstrip("\n").split("\n")
    name, _, fault = head.partition(": ")
    texts = {"fault": fault, "shows": "wrong-result"}
    while line := re.match(r"(title|fails|works|shows): (.+)", lines[0]):
        texts[line[1]] = line[2]
        del lines[0]
    sides = {side: "\n".join(line[2:] for line in lines if line[:1] in f"|{side}") + "\n" for side in "-+"}
    broken, fixed = (_add_torch_import(sides[side]) for side in "-+")
    return Pair(name, texts, broken, fixed)


def _add_torch_import(body: str) -> str:
    imports = re.match(r"(?:(?:import|from) (?!torch)[^\n]*\n)*", body)
    rest = body[imports.end() :].lstrip("\n")
    return f"{imports[0]}\nimport torch\n{'' if rest.startswith(('import', 'from')) else chr(10)}{rest}"
