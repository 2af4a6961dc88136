"""`dpkb site`: write the pages of the documentation site."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dpkb.cli.app import NO, YES, Kb, app, create_check_report, print_note, shorten_path
from dpkb.paths import find_catalogue_folders
from dpkb.text import count_of


@app.command()
def site(
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="The folder for the pages. It is emptied first.")
    ] = Path("build/pages"),
    kb: Kb = None,
) -> int:
    """Write the pages of the documentation site.

    `mkdocs build` builds the site from them.
    Nothing is written if `dpkb check` finds problems in the catalogue.
    """
    from dpkb.catalogue.check import check
    from dpkb.catalogue.load import load
    from dpkb.evidence import store
    from dpkb.output.check import render_check_summary, render_problems
    from dpkb.site import pages

    catalogue = load(find_catalogue_folders(kb))
    if problems := check(catalogue, catalogue.folders):
        report = create_check_report(len(catalogue.entries), problems)
        print(render_problems(report))
        print_note(f"{render_check_summary(report)}; no page was written: fix these problems first")
        return NO
    count = pages.write(catalogue, store.load(*catalogue.folders), out)
    print_note(f"{count_of(count, 'entry', 'entries')} written to {shorten_path(out.resolve())}")
    return YES
