"""`dpkb search`: find the entry for an error message or a symptom."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from dpkb.cli.app import (
    NO,
    YES,
    Family,
    Json,
    Kb,
    KindName,
    app,
    check_kind,
    warn_unreadable,
)
from dpkb.paths import catalogue_folders


@app.command()
def search(
    words: Annotated[list[str], typer.Argument(metavar="WORDS…", help="An error message or a symptom.")],
    limit: Annotated[
        int, typer.Option("-n", metavar="N", help="Show at most this many.", min=1, max=1000)
    ] = 5,
    kind: KindName = None,
    family: Family = None,
    as_json: Json = False,
    kb: Kb = None,
) -> int:
    """Find the entry for an error message or a symptom."""
    from dpkb.output.documents import render_document
    from dpkb.output.search import render_search, search_fields
    from dpkb.output.terminal import columns, wants_colour
    from dpkb.search.store import find_entries

    check_kind(kind)
    question = " ".join(words)
    result = find_entries(catalogue_folders(kb), question, limit, kind, family and family.upper())
    if as_json:
        print(render_document(search_fields(question, result)))
    else:
        print(render_search(question, result, wants_colour(sys.stdout), columns()))
    warn_unreadable(result.unreadable)
    return YES if result.hits else NO
