"""Helpers for all tests: they write small catalogues, and let dpkb's own catalogue be parsed once."""

from __future__ import annotations

import functools
import textwrap
from pathlib import Path
from unittest import mock

from dpkb.catalogue import load

ROOT = Path(__file__).resolve().parent.parent.parent


def patch_to_parse_own_entries_once():
    """A patch: while it is active, each of dpkb's own entries is parsed once. No test changes them."""
    read_entry = load.read_entry
    read_once = functools.cache(read_entry)

    def read(path: Path, scripts: Path) -> object:
        return (read_once if path.is_relative_to(ROOT) else read_entry)(path, scripts)

    return mock.patch.object(load, "read_entry", read)


SCRIPT = '''"""{id}: a failure made for a test.

It does what the test says.

Symptom: none
Needs:   torch; {places}; about {seconds} s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

{body}  # {mark}: made for a test


def experiment():
    return {healthy}  # {mark}: made for a test


if __name__ == "__main__":
    healthy = experiment()
    print("OBSERVED", json.dumps({{"healthy": healthy}}))
    sys.exit(0 if healthy else 1)
'''

# A script that skips itself because an import fails.
SKIPPING = """
import sys
try:
    import moon
except ImportError:
    print('SKIPPED a moon')
    sys.exit(77)
"""

ENTRY = """---
id: {id}
title: A failure made for a test
summary: It does what the test says, with bool() in experiment() and value=2.
kind: silent
affects: {{torch: ">=1.8"}}
see_also: []
confused_with: []
sources:
  - title: a source
    url: https://example.org/
scripts:
  broken:
    claim: it fails
    shows: {shows}
{extra}  fixed:
    claim: it works
---

## In short

It was written for a test.

## Symptom

{symptom}

## Fix

Use the other script.

## How to check your own code

Look.

## Why it happens

A test needs it.
"""

SEARCH = """keywords: [one, two, three]
asked_as: [why one, why two, why three]
signatures: []
"""


# A file of messages with one row.
MESSAGES = r"""messages:
- match: 'layer of width \d+ got \d+'
  message: 'RuntimeError: layer of width 3 got 4'
  call: layer(torch.rand(4))
  seen: [1.8.1, 2.15.0]
"""


def write_catalogue(
    folder: Path,
    entry_id: str = "ZZ1",
    broken: str | None = None,
    body: str = "value = 1",
    shows: str = "wrong-result",
    pattern: str | None = None,
    places: str = "cpu",
    seconds: int = 1,
    symptom: str = "It is there.",
    entry: str | None = None,
    search: str = SEARCH,
) -> Path:
    """Write a catalogue of one entry.

    broken: the whole code of broken.py. body: one line of broken.py, if its whole code is not given.
    """
    stem = f"{entry_id.lower()}_made"
    scripts = folder / "reproducers" / stem
    scripts.mkdir(parents=True)
    (folder / "kb").mkdir(exist_ok=True)
    extra = f"    pattern: '{pattern}'\n" if pattern else ""
    text = entry or ENTRY.format(id=entry_id, shows=shows, extra=extra, symptom=symptom)
    (folder / "kb" / f"{stem}.md").write_text(text, encoding="utf-8")
    (folder / "kb" / f"{stem}.search.yaml").write_text(search, encoding="utf-8")
    usual = {"id": entry_id, "places": places, "seconds": seconds}
    text_of_broken = SCRIPT.format(body=body, healthy="not sys.path", mark="BUG", **usual)
    if broken is not None:
        text_of_broken = text_of_broken.split("import json")[0] + textwrap.dedent(broken)
    (scripts / "broken.py").write_text(text_of_broken, encoding="utf-8")
    (scripts / "fixed.py").write_text(
        SCRIPT.format(body="value = 2", healthy="bool(sys.path)", mark="FIX", **usual),
        encoding="utf-8",
    )
    return folder
