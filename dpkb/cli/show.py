"""`dpkb show`: explain an entry, or give the overview of a family."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from dpkb.cli.app import YES, Json, Kb, app, complete_id, load_catalogue, warn_unreadable_evidence


@app.command()
def show(
    entry_id: Annotated[
        str,
        typer.Argument(
            metavar="ID",
            help="The id of an entry, e.g. DP15, or of a family, e.g. DP.",
            autocompletion=complete_id,
        ),
    ],
    everything: Annotated[bool, typer.Option("--all", help="Print the whole page.")] = False,
    lang: Annotated[
        Literal["en", "zh"],
        typer.Option(help="zh: the title and the summary in Chinese, the rest in English."),
    ] = "en",
    as_json: Json = False,
    kb: Kb = None,
) -> int:
    """Explain an entry: the cause, the fix and the check. With --all, the whole page."""
    from dpkb.output import entry as output
    from dpkb.output.documents import render_document
    from dpkb.runner.interpreter import probe
    from dpkb.views import FamilyView, load_view

    view = load_view(
        load_catalogue(kb), entry_id, lambda: probe(None, "cpu").versions, warn_unreadable_evidence
    )
    if lang == "zh":
        view = view.in_chinese()
    if as_json:
        print(render_document(output.view_fields(view)))
    elif isinstance(view, FamilyView):
        print(output.render_family(view))
    elif everything:
        print(output.render_entry(view))
    else:
        print(output.render_first_screen(view))
    return YES
