"""`dpkb run`: run a command unchanged; if it fails, name the entries that explain it."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dpkb.cli.app import Kb, Stalled, app, load_catalogue, print_note
from dpkb.cli.command_end import (
    describe_end,
    end_like_command,
    print_stacks,
    refuse_unknown_option,
    report_error_after,
)
from dpkb.files import open_regular
from dpkb.paths import find_catalogue_folders
from dpkb.text import NOTE_START

if TYPE_CHECKING:
    from dpkb.audit.result import FailedPlace
    from dpkb.diagnosis.conclusion import Diagnosis
    from dpkb.diagnosis.match import Signatures
    from dpkb.run_records import CommandEnd


@app.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
def run(
    command: Annotated[list[str], typer.Argument(metavar="-- COMMAND…", help="What to run.")],
    tensors: Annotated[
        bool, typer.Option("--tensors", help="If Python raises: show the tensors and layers where it failed.")
    ] = False,
    stalled: Stalled = None,
    kb: Kb = None,
) -> int:
    """Run a command; name the entries that explain a failure.

    The command runs as if dpkb were not there. dpkb returns its exit code.
    """
    from dpkb.relay.command import CannotStart, EndConditions, run_command

    refuse_unknown_option(command[0])
    find_catalogue_folders(kb)  # reports a wrong --kb now, and not when the command ends

    started = time.time()
    conditions = EndConditions(stalled, lambda pid: print_stacks(pid, stalled))
    failed = None
    try:
        if tensors:
            from dpkb.relay.audited_command import run_noting_failures

            end, failed = run_noting_failures(command, conditions)
        else:
            end = run_command(command, conditions)
    except CannotStart as error:
        print_note(str(error))
        return error.exit_code
    if end.code or end.stalled:
        try:
            _explain(command, started, end, kb, stalled, failed)
        except Exception as error:  # for example, the catalogue is gone
            return report_error_after(end, error)
    return end_like_command(end)


def _explain(
    command: list[str],
    started: float,
    end: CommandEnd,
    kb: list[Path] | None,
    stalled: float | None,
    failed: FailedPlace | None,
) -> None:
    from dataclasses import replace

    from dpkb.diagnosis import match, triage
    from dpkb.output.diagnosis import render_diagnosis
    from dpkb.output.failure import render_frames
    from dpkb.output.terminal import count_columns, wants_colour
    from dpkb.output.versions import render_explanations

    catalogue = load_catalogue(kb)
    explanation = _diagnose(command, started, end, match.Signatures(catalogue, catalogue.signposts))
    if explanation.next_step == triage.NO_ERROR:
        # The command has ended, so no process is left to look at.
        explanation = replace(explanation, next_step=triage.STALLED if end.stalled else None)
    colour, width = wants_colour(sys.stderr), count_columns()
    if failed:
        print("\n".join(["", *render_frames(failed.frames, width, process=failed.process)]), file=sys.stderr)
    print(
        f"\n{NOTE_START}{command[0]} {describe_end(end, stalled)}. Diagnosis of its output:", file=sys.stderr
    )
    from dpkb.versions import explain_names

    history = explain_names(explanation.tail)
    if history:
        print(render_explanations(history, colour, width), file=sys.stderr)
    if explanation.matches or not history:
        print(render_diagnosis(explanation, catalogue, colour, width), file=sys.stderr)
    if end.stalled:
        print("Failures that hang without a message: dpkb list --kind hangs", file=sys.stderr)


def _diagnose(command: list[str], started: float, end: CommandEnd, signatures: Signatures) -> Diagnosis:
    """The diagnosis of what the command wrote, also into its --log-dir.

    If that has no clue, the signal that ended the command is the clue.
    """
    import signal
    from io import BytesIO

    from dpkb.diagnosis import conclusion, triage
    from dpkb.diagnosis.sources import LogFile, list_logs

    folders = [folder for folder in _find_log_folders(command) if os.path.isdir(folder)]
    logs = [log for log in list_logs(folders)[0] if (log.written_at or 0) >= started - 1]
    # A stream that ends within a line must not run into the first line of the next.
    output = b"\n".join(end.output)

    def diagnose(output: bytes) -> Diagnosis:
        return conclusion.diagnose_files(
            [LogFile(Path(), ""), *logs],
            signatures,
            lambda log: open_regular(log.path) if log.name else BytesIO(output),
        )[0]

    diagnosis = diagnose(output)
    has_clue = diagnosis.matches or diagnosis.next_step not in (None, triage.NO_ERROR)
    if has_clue or end.stalled or end.code >= 0:
        return diagnosis
    # A shell writes this line, such as "Killed", so it is in the log of a job that dpkb did not start.
    line = signal.strsignal(-end.code) or ""
    return diagnose(output + b"\n" + line.encode())


def _find_log_folders(command: list[str]) -> list[str]:
    """The values of the option --log-dir of torchrun."""
    found = []
    for word, following in zip(command, [*command[1:], ""], strict=True):
        name, _, value = word.partition("=")
        if name in ("--log-dir", "--log_dir"):
            found.append(value or following)
    return found
