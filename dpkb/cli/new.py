"""`dpkb new`: write the skeleton of an entry and its pair of scripts."""

from __future__ import annotations

from typing import Annotated

import typer

from dpkb.cli.app import (
    YES,
    Kb,
    app,
    explain_write_errors,
    find_writable_catalogue,
    load_catalogue,
    print_note,
    shorten_path,
)
from dpkb.ids import normalize_id


@app.command()
def new(
    entry_id: Annotated[str, typer.Argument(metavar="ID", help="A new id, e.g. DP99.")],
    slug: Annotated[str, typer.Argument(metavar="SLUG", help="The topic, e.g. stale_index.")],
    kb: Kb = None,
) -> int:
    """Write the skeleton of an entry and its pair of scripts."""
    from dpkb.catalogue import scaffold

    entry_id = normalize_id(entry_id)
    catalogue = load_catalogue(kb)
    target = find_writable_catalogue(catalogue.folders)
    with explain_write_errors(target):
        written = scaffold.create(entry_id, slug, target, catalogue)
    print("\n".join(map(shorten_path, written)))
    print_note(
        "now write the page and the scripts. `dpkb check` lists what is missing; "
        f"when it lists nothing, `dpkb verify {entry_id}` runs the scripts"
    )
    return YES
