"""Writes the skeleton of a new entry and its pair of scripts, for `dpkb new`."""

from __future__ import annotations

import re
from pathlib import Path

from dpkb import files
from dpkb.catalogue.fields import ID
from dpkb.catalogue.load import Catalogue
from dpkb.errors import DpkbError, UsageError
from dpkb.paths import KB_FOLDER, REPRODUCERS_FOLDER, SEARCH_SUFFIX

_MAX_BYTES = 1 << 20
_SLUG = re.compile(r"[a-z][a-z0-9_]{2,50}")

# The texts are empty, so that `dpkb check` lists everything that the author still has to write.
_ENTRY = """---
id: {id}
title: ""
summary: ""
kind: silent
# In Chinese. A team's own entries can do without these two lines.
title_zh: ""
summary_zh: ""
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
"""

_SEARCH = """# Words that lead to {id}. Read by search and diagnose, never shown on the page.
keywords: []
asked_as: []
signatures: []
"""

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
    """Write kb/<id>_<slug>.md, its search words and its two scripts in `folder`. Returns the paths.

    Raises UsageError for a bad or used id, a bad slug, or a path that already has another file.
    """
    if not ID.fullmatch(entry_id):
        raise UsageError(f"{entry_id!r} is not an id: write capitals and a number, like DP99")
    if not _SLUG.fullmatch(slug):
        raise UsageError(
            f"{slug!r} is not a slug: write 3 to 51 small letters, digits and _, a letter "
            "first, like stale_index"
        )
    known = catalogue.entries.get(entry_id)
    # A skeleton that nobody has completed yet is left out of the catalogue, but has its id.
    if taken := known.path if known else catalogue.find_left_out_page(entry_id):
        raise UsageError(f"{entry_id} is taken by {taken}: choose another number; an id is never used again")
    stem = f"{entry_id.lower()}_{slug}"
    scripts = folder / REPRODUCERS_FOLDER / stem
    entry = folder / KB_FOLDER / f"{stem}.md"
    # The entry is written last: after a full disk or a kill, the same command can be run again.
    texts = {
        scripts / "broken.py": _SCRIPT.format(id=entry_id, fault=" // 2", mark="BUG: why it is wrong"),
        scripts / "fixed.py": _SCRIPT.format(id=entry_id, fault="", mark="FIX: why this is right"),
        entry.with_name(stem + SEARCH_SUFFIX): _SEARCH.format(id=entry_id),
        entry: _ENTRY.format(id=entry_id),
    }
    for path, text in texts.items():
        if path.exists() and (path == entry or _read_text(path) != text):
            raise UsageError(f"{path} already exists; nothing was written: choose another slug")
    for path, text in texts.items():
        files.write_text(path, text)
    return sorted(texts)


def _read_text(path: Path) -> str | None:
    """The text of a file; None if it cannot be read."""
    try:
        return files.read_text(path, _MAX_BYTES)
    except DpkbError:
        return None
