"""`dpkb merge-evidence`: merge evidence that several machines recorded into the catalogue's."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from dpkb.cli.app import YES, Kb, app, explain_read_errors, find_writable_catalogue, shorten_path
from dpkb.errors import UsageError
from dpkb.paths import find_catalogue_folders


@app.command(name="merge-evidence")
def merge_evidence(
    folders: Annotated[
        list[Path], typer.Argument(metavar="DIR…", help="Folders with evidence that was recorded elsewhere.")
    ],
    kb: Kb = None,
) -> int:
    """Merge evidence that several machines recorded."""
    from dpkb.evidence import store

    for folder in folders:
        with explain_read_errors(str(folder)):  # rglob() finds nothing in what is no folder
            os.listdir(folder)
    files = [file for folder in folders for file in sorted(folder.rglob("*.json"))]
    if not files:
        names = ", ".join(map(str, folders))
        raise UsageError(f"no evidence in {names}: record it with `dpkb verify --record`")
    target = find_writable_catalogue(find_catalogue_folders(kb))
    written = store.merge([store.read(file) for file in files], target)
    print("\n".join(map(shorten_path, written)))
    return YES
