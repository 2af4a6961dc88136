"""`dpkb diagnose`: find the entries that explain a log."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from dpkb.cli.app import (
    NO,
    YES,
    Json,
    Kb,
    app,
    explain_read_errors,
    load_catalogue,
    print_note,
)


@app.command()
def diagnose(
    log: Annotated[
        str,
        typer.Argument(
            metavar="[FILE]", help="A log (also gzip'ed), or a pasted traceback; - is standard input."
        ),
    ] = "-",
    as_json: Json = False,
    kb: Kb = None,
) -> int:
    """Find the entries that explain a log."""
    from dpkb.diagnosis.log import decompress
    from dpkb.diagnosis.match import Signatures, diagnose
    from dpkb.output.diagnosis import diagnosis_fields, render_diagnosis
    from dpkb.output.documents import render_document
    from dpkb.output.terminal import count_columns, wants_colour
    from dpkb.output.versions import explanation_fields, render_explanations

    catalogue = load_catalogue(kb)
    if log == "-" and sys.stdin.isatty():
        print_note("reading from the terminal: paste the log, then press Ctrl-D")
    name = "standard input" if log == "-" else log
    with explain_read_errors(name), sys.stdin.buffer if log == "-" else open(log, "rb") as stream:
        diagnosis = diagnose(decompress(getattr(stream, "read1", stream.read)), Signatures(catalogue))
    from dpkb.versions import explain_names

    history = explain_names(diagnosis.tail)
    if as_json:
        fields = {**diagnosis_fields(diagnosis, catalogue), "history": explanation_fields(history)}
        print(render_document(fields))
    else:
        if history:
            print(render_explanations(history, wants_colour(sys.stdout), count_columns()))
        if diagnosis.matches or not history:
            print(render_diagnosis(diagnosis, catalogue, wants_colour(sys.stdout), count_columns()))
        if diagnosis.is_empty:
            print_note(f"{name} has no text. To write the errors into the log too: COMMAND > train.log 2>&1")
    return YES if diagnosis.matches or history else NO
