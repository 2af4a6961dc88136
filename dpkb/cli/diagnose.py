"""`dpkb diagnose`: find the entries that explain a log."""

from __future__ import annotations

import contextlib
import sys
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from dpkb.cli.app import NO, YES, Json, Kb, app, load_catalogue, print_note, show_waiting
from dpkb.errors import DpkbError
from dpkb.text import NOTE_START

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
    pids: Annotated[
        list[int] | None,
        typer.Option(
            "--pid",
            metavar="PID",
            min=1,
            help="A process that hangs, with its ranks and workers: py-spy takes their stacks three times, and pauses "
            "each for milliseconds. Can be repeated.",
        ),
    ] = None,
    nonblocking: Annotated[
        bool, typer.Option("--nonblocking", help="With --pid: do not pause them; a stack may then be wrong.")
    ] = False,
    as_json: Json = False,
    kb: Kb = None,
) -> int:
    """Find the entries that explain logs or stacks of a job."""
    from dpkb.diagnosis.conclusion import diagnose_files
    from dpkb.diagnosis.match import Signatures
    from dpkb.diagnosis.sources import LogFile, list_logs
    from dpkb.output.diagnosis import diagnosis_fields, render_diagnosis
    from dpkb.output.documents import render_document
    from dpkb.output.terminal import count_columns, wants_colour
    from dpkb.output.versions import explanation_fields, render_explanations
    from dpkb.relay.stacks import take_stacks
    from dpkb.versions import explain_names

    catalogue = load_catalogue(kb)
    if ((not paths and not pids) or paths == ["-"]) and sys.stdin.isatty():
        print_note("reading from the terminal: paste the log, then press Ctrl-D")
    logs, notes = list_logs(paths or ([] if pids else ["-"]))
    stacks = take_stacks(pids, ["--nonblocking"] if nonblocking else []) if pids else ""
    logs += [LogFile(Path(), "")] if pids else []

    def open_log(log: LogFile) -> BinaryIO:
        if log.name:
            return sys.stdin.buffer if log.name == "-" else open(log.path, "rb")
        return BytesIO(stacks.encode("utf-8", "replace"))

    with show_waiting("reading logs") if paths and "-" not in paths else contextlib.nullcontext():
        diagnosis, unreadable = diagnose_files(logs, Signatures(catalogue, catalogue.signposts), open_log)
    if pids and not diagnosis.stacks:
        print(f"{NOTE_START}no stack could be read.\n{stacks}", file=sys.stderr)
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


def _name(path: str) -> str:
    return "standard input" if path == "-" else path
