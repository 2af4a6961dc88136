"""`dpkb matrix`: entries against torch versions, from the recorded runs."""

from __future__ import annotations

from typing import Annotated

import typer

from dpkb.cli.app import NO, YES, Json, Kb, app, load_catalogue, warn_unreadable_evidence


@app.command()
def matrix(
    everything: Annotated[
        bool,
        typer.Option(
            "--all",
            help="Include environments, such as those of verify --with, in which only a few entries were run.",
        ),
    ] = False,
    as_json: Json = False,
    kb: Kb = None,
) -> int:
    """Show the recorded runs: entries against torch versions."""
    from dpkb import views
    from dpkb.output import evidence as output
    from dpkb.output.documents import render_document

    result = views.load_matrix(load_catalogue(kb), (), everything, warn_unreadable_evidence)
    if as_json:
        print(render_document(output.matrix_fields(result)))
    else:
        print(output.render_matrix(result))
    return YES if result.environments else NO
