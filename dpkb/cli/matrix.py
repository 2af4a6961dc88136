"""`dpkb matrix`: entries against torch versions, from the recorded runs."""

from __future__ import annotations

from typing import Annotated

import typer

from dpkb.cli.app import NO, YES, Json, Kb, app, load_catalogue, load_evidence
from dpkb.paths import catalogue_folders


@app.command()
def matrix(
    everything: Annotated[
        bool, typer.Option("--all", help="Include versions on which only a few entries were run.")
    ] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print a Markdown table.")] = False,
    as_json: Json = False,
    kb: Kb = None,
) -> int:
    """Show the recorded runs: entries against torch versions."""
    from dpkb.evidence import report
    from dpkb.output import evidence as output
    from dpkb.output.documents import print_document

    folders = catalogue_folders(kb)
    catalogue = load_catalogue(kb, folders)
    evidence = load_evidence(folders)
    if not everything:
        evidence = report.select_broad(evidence, catalogue)
    result = output.matrix_of(catalogue, evidence)
    if as_json:
        print_document(output.matrix_fields(result))
    elif markdown:
        output.print_markdown_matrix(result)
    else:
        output.print_matrix(result)
    return YES if evidence else NO
