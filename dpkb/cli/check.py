"""`dpkb check`: validate the catalogue without running anything."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from dpkb.cli.app import NO, YES, Json, app, shorten_path
from dpkb.paths import find_catalogue_folders

_CheckedKb = Annotated[
    list[Path] | None,
    typer.Option(
        "--kb",
        metavar="DIR",
        help="Check only this catalogue: a folder with kb/ and reproducers/. Can be repeated.",
    ),
]


@app.command()
def check(as_json: Json = False, kb: _CheckedKb = None) -> int:
    """Validate the catalogue without running anything."""
    from dpkb.catalogue import check as catalogue_check
    from dpkb.catalogue.load import load
    from dpkb.output.check import check_fields, render_check_summary, render_problems
    from dpkb.output.documents import render_document

    catalogue = load(find_catalogue_folders(kb))
    folders = [folder.resolve() for folder in kb] if kb else find_catalogue_folders()
    problems = catalogue_check.check(catalogue, folders)
    checked = sum(any(entry.path.is_relative_to(folder) for folder in folders) for entry in catalogue)
    shown = [(shorten_path(problem.path), problem) for problem in problems]
    if as_json:
        print(render_document(check_fields(checked, shown)))
    elif shown:
        # Standard output has only the problems, one on each line.
        print(render_problems(shown))
        print(render_check_summary(checked, shown), file=sys.stderr)
    else:
        print(render_check_summary(checked, shown))
    return NO if shown else YES
