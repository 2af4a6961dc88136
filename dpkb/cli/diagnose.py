"""`dpkb diagnose`: find the entries that explain a log."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from dpkb.cli.app import NO, YES, Json, Kb, app, load_catalogue, print_note
from dpkb.errors import DpkbError

if TYPE_CHECKING:
    from dpkb.diagnosis.sources import LogFile


@app.command()
def diagnose(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PATH…]",
            help="Logs (also gzip'ed) of one job, or folders of them, such as that of torchrun --log-dir; "
            "or a file with a pasted traceback; - is standard input, the default.",
        ),
    ] = None,
    as_json: Json = False,
    kb: Kb = None,
) -> int:
    """Find the entries that explain the logs of a job."""
    from dpkb.diagnosis.conclusion import diagnose_files
    from dpkb.diagnosis.match import Signatures
    from dpkb.diagnosis.sources import list_logs
    from dpkb.output.diagnosis import diagnosis_fields, render_diagnosis
    from dpkb.output.documents import render_document
    from dpkb.output.terminal import count_columns, wants_colour
    from dpkb.output.versions import explanation_fields, render_explanations
    from dpkb.versions import explain_names

    catalogue = load_catalogue(kb)
    if (not paths or paths == ["-"]) and sys.stdin.isatty():
        print_note("reading from the terminal: paste the log, then press Ctrl-D")
    logs, notes = list_logs(paths or ["-"])
    diagnosis, unreadable = diagnose_files(logs, Signatures(catalogue, catalogue.signposts), _open)
    if len(unreadable) == len(logs):
        problems = [f"{_name(name)}: {reason}" for name, reason in unreadable.items()] or notes
        raise DpkbError(problems[0] + (f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""))
    for note in notes:
        print_note(note)
    if unreadable:
        name, reason = next(iter(unreadable.items()))
        more = f" (and {len(unreadable) - 1} more)" if len(unreadable) > 1 else ""
        print_note(f"{name}: {reason}{more}; read: {len(logs) - len(unreadable)} of {len(logs)} logs")
    history = explain_names(diagnosis.tail)
    if as_json:
        fields = diagnosis_fields(diagnosis, catalogue, unreadable)
        print(render_document({**fields, "history": explanation_fields(history)}))
    else:
        if history:
            print(render_explanations(history, wants_colour(sys.stdout), count_columns()))
        if diagnosis.matches or not history:
            print(render_diagnosis(diagnosis, catalogue, wants_colour(sys.stdout), count_columns()))
        if diagnosis.is_empty:
            print_note(
                f"{_name(logs[0].name)} has no text. To write the errors into the log too: "
                "COMMAND > train.log 2>&1"
            )
    return YES if diagnosis.matches or history else NO


def _open(log: LogFile) -> BinaryIO:
    return sys.stdin.buffer if log.name == "-" else open(log.path, "rb")


def _name(path: str) -> str:
    return "standard input" if path == "-" else path
