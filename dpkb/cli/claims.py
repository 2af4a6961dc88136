"""`dpkb claims`: how many claims each entry makes, and how many of them a script has tested."""

from __future__ import annotations

from typing import Annotated

import typer

from dpkb.cli.app import NO, YES, Json, Kb, app, load_catalogue, load_evidence


@app.command()
def claims(
    markdown: Annotated[bool, typer.Option("--markdown", help="Print a Markdown table.")] = False,
    as_json: Json = False,
    kb: Kb = None,
) -> int:
    """Count the claims of each entry, and how many were tested."""
    from dpkb.evidence import report
    from dpkb.output.documents import render_document
    from dpkb.output.evidence import claims_fields, render_claims

    catalogue = load_catalogue(kb)
    evidence = load_evidence(catalogue)
    rows = [report.count_claims(entry, evidence) for entry in catalogue]
    if as_json:
        print(render_document(claims_fields(rows)))
    else:
        print(render_claims(rows, markdown))
    return YES if rows else NO
