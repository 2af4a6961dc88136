"""`dpkb diff`: show the fix as a diff."""

from __future__ import annotations

from typing import Annotated

import typer

from dpkb.cli.app import YES, Id, Kb, app, load_catalogue, print_note


@app.command()
def diff(
    entry_id: Id,
    script: Annotated[
        str, typer.Option(metavar="NAME", help="Compare broken.py with this script instead of fixed.py.")
    ] = "fixed",
    kb: Kb = None,
) -> int:
    """Show the fix as a diff from broken.py to fixed.py."""
    from dpkb.catalogue.load import read_source
    from dpkb.output.diff import render_diff
    from dpkb.scripts.diff import render_unified_diff

    catalogue = load_catalogue(kb)
    entry = catalogue.find_entry(entry_id)
    before, after = (catalogue.find_script(entry, name) for name in ("broken", script))
    names = (f"{entry.id}/{before.name}.py", f"{entry.id}/{after.name}.py")
    lines = render_unified_diff(read_source(before), read_source(after), *names)
    if lines:
        print(render_diff(lines))
    else:
        print_note(f"{names[0]} and {names[1]} have the same code")
    return YES
