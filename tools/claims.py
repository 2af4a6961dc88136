"""Counts the claims of each entry, and how many of them a script has tested, as a table in Markdown.

    python -m tools.claims [--kb DIR…]

A claim is a script that the page names; the failure and its fix always count.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dpkb.catalogue.body import find_mentions
from dpkb.catalogue.load import load
from dpkb.catalogue.parse import SCRIPT_NAME
from dpkb.errors import DpkbError
from dpkb.evidence import store
from dpkb.evidence.store import Evidence
from dpkb.model import Entry
from dpkb.paths import find_catalogue_folders


@dataclass(frozen=True)
class EntryClaims:
    """How many claims an entry makes, how many have a script, how many were run, and which were not."""

    id: str
    claims: int
    scripts: int
    run: int
    not_run: list[str]


def count_claims(entry: Entry, evidence: Sequence[Evidence]) -> EntryClaims:
    """Count the claims of an entry, those that have a script, and those that were run."""
    mentioned = {name.removesuffix(".py") for s in entry.sections for name in find_mentions(s.text)[1]}
    # A page may also name files of the reader, such as train.py.
    named = {name for name in mentioned if SCRIPT_NAME.fullmatch(name)}
    claimed = named | {"broken", "fixed"}
    existing = [script for script in entry.scripts if script.path.is_file()]
    not_run = [script.name for script in existing if all(e.run_of(script) is None for e in evidence)]
    return EntryClaims(entry.id, len(claimed), len(existing), len(existing) - len(not_run), not_run)


def render_claims(rows: Sequence[EntryClaims]) -> str:
    """The claims, scripts and runs of each entry, and which scripts were not run."""
    lines = ["|  | claims | with a script | run | not yet run |", "|---|---:|---:|---:|---|"]
    lines += [
        f"| {row.id} | {row.claims} | {row.scripts} | {row.run} | {', '.join(row.not_run)} |" for row in rows
    ]
    claims, scripts, run = (sum(getattr(row, name) for row in rows) for name in ("claims", "scripts", "run"))
    return "\n".join([*lines, f"| all | {claims} | {scripts} | {run} | {scripts - run} |"])


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table of the catalogues in use."""
    parser = argparse.ArgumentParser(prog="python -m tools.claims", description=__doc__.splitlines()[0])
    parser.add_argument("--kb", type=Path, metavar="DIR", action="append", help="adds a catalogue")
    options = parser.parse_args(arguments)
    try:
        catalogue = load(find_catalogue_folders(options.kb))
        evidence = store.load(*catalogue.folders)
    except DpkbError as error:
        parser.error(str(error))
    print(render_claims([count_claims(entry, evidence) for entry in catalogue]))


if __name__ == "__main__":
    main()
