"""The skeleton of a new entry and its pair of scripts."""

from __future__ import annotations

import re
from pathlib import Path

from dpkb import files
from dpkb.catalogue.fields import ID
from dpkb.catalogue.load import Catalogue
from dpkb.errors import DpkbError, UsageError
from dpkb.paths import KB_FOLDER, REPRODUCERS_FOLDER, SEARCH_SUFFIX

_MOST_BYTES = 1 << 20
_SLUG = re.compile(r"[a-z][a-z0-9_]{2,50}")

# Left empty on purpose: `dpkb check` then lists, line by line, what is still to be written.
_ENTRY = '''---
id: {id}
title: ""
summary: ""
kind: silent
affects: {{torch: ">=1.8"}}
see_also: []
confused_with: []
sources: []
scripts:
  broken:
    claim: ""
    shows: wrong-result
  fixed:
    claim: ""
---

## In short

## Symptom

## Fix

## How to check your own code

## Why it happens
'''

_SEARCH = '''# Words that lead to {id}. Read by search and diagnose, never shown on the page.
keywords: []
asked_as: []
signatures: []
'''

_SCRIPT = '''"""{id}: what is wrong, in the words of someone who has it.

Two to four lines of mechanism: why it happens.

Symptom: what running this shows, with its numbers
Needs:   torch; cpu; about 3 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch

num_samples = 8


def load(index):
    """The code as a user would have written it."""
    return torch.tensor(index{fault})  # {mark}


if __name__ == "__main__":
    seen = len({{int(load(i)) for i in range(num_samples)}})
    healthy = seen == num_samples
    print("OBSERVED", json.dumps({{"healthy": healthy, "seen": seen, "of": num_samples}}))
    sys.exit(0 if healthy else 1)
'''


def create(entry_id: str, slug: str, folder: Path, catalogue: Catalogue) -> list[Path]:
    """Write kb/<id>_<slug>.md, its search words and its two scripts below `folder`; the paths written.

    Raises UsageError for a bad or taken id, a bad slug, or other files that are there already.
    """
    if not ID.fullmatch(entry_id):
        raise UsageError(f"{entry_id!r} is not an id: capitals, then a number, as in DP99")
    if not _SLUG.fullmatch(slug):
        raise UsageError(f"{slug!r} is not a slug: small letters, digits and _, as in stale_index")
    if entry_id in catalogue.entries:
        taken = catalogue.entries[entry_id].path
        raise UsageError(f"{entry_id} is taken by {taken}; an id is never reused")
    stem = f"{entry_id.lower()}_{slug}"
    scripts = folder / REPRODUCERS_FOLDER / stem
    entry = folder / KB_FOLDER / f"{stem}.md"
    # The entry last: if a full disk or a kill leaves the files without it, the same command completes them.
    texts = {
        scripts / "broken.py": _SCRIPT.format(id=entry_id, fault=" // 2", mark="BUG: why it is wrong"),
        scripts / "fixed.py": _SCRIPT.format(id=entry_id, fault="", mark="FIX: why this is right"),
        entry.with_name(stem + SEARCH_SUFFIX): _SEARCH.format(id=entry_id),
        entry: _ENTRY.format(id=entry_id),
    }
    for path, text in texts.items():
        if path.exists() and (path == entry or _text(path) != text):
            raise UsageError(f"{path} is there already; nothing was written")
    for path, text in texts.items():
        files.write_text(path, text)
    return sorted(texts)


def _text(path: Path) -> str | None:
    """The text of a file that is there already; None for one that is no text."""
    try:
        return files.read_text(path, _MOST_BYTES)
    except DpkbError:
        return None
