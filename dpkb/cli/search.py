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
    check_family,
    check_kind,
    warn_unreadable,
)
from dpkb.errors import UsageError
from dpkb.paths import find_catalogue_folders
from dpkb.search import DEFAULT_HITS, MAX_HITS


@app.command()
def search(
    words: Annotated[list[str], typer.Argument(metavar="WORDS…", help="An error message or a symptom.")],
    limit: Annotated[
        int, typer.Option("-n", metavar="N", help="Show at most this many.", min=1, max=MAX_HITS)
    ] = DEFAULT_HITS,
    kind: KindName = None,
    family: Family = None,
    as_json: Json = False,
    kb: Kb = None,
) -> int:
    """Find the entry for an error message or a symptom."""
    from dpkb.output.documents import render_document
    from dpkb.output.search import render_only_others, render_search, search_fields
    from dpkb.output.terminal import count_columns, wants_colour
    from dpkb.search.store import find_entries

    check_kind(kind)
    family = family and family.upper()
    question = " ".join(words)
    if not question.strip():
        raise UsageError("the question is empty: describe what you see, as in `dpkb search bus error`")
    folders = find_catalogue_folders(kb)
    result = find_entries(folders, question, limit, kind, family)
    from dpkb.versions import explain_names

    history = explain_names(question.split("\n"))
    post = result.signpost
    if post or as_json:
        from dpkb.output.diagnosis import render_signpost, signpost_fields
    others = 0
    if not result.hits and (kind or family):
        from dpkb.catalogue.load import load

        check_family(family, load(folders))
        others = len(find_entries(folders, question, MAX_HITS).hits)
    if history:
        from dpkb.output.versions import explanation_fields, render_explanations
    if as_json:
        found = explanation_fields(history) if history else []
        print(
            render_document(
                {**search_fields(question, result), "history": found, "signpost": signpost_fields(post)}
            )
        )
    elif post:
        print(f"{render_signpost(post, count_columns())}\n{post.source.title}: {post.source.url}")
    elif history and (not result.hits or result.weak):
        print(render_explanations(history, wants_colour(sys.stdout), count_columns()))
    elif others:
        print(render_only_others(question, kind, family, others))
    else:
        if history:
            print(render_explanations(history, wants_colour(sys.stdout), count_columns()) + "\n")
        print(render_search(question, result, wants_colour(sys.stdout), count_columns()))
    warn_unreadable(result.unreadable_count)
    return YES if result.hits or history or post else NO
