"""`dpkb audit`: run a training program, and name the failures of the catalogue that it has."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dpkb.cli.app import (
    Hints,
    Ignore,
    Kb,
    Stalled,
    app,
    explain_write_errors,
    load_catalogue,
    print_note,
    require_writable,
)
from dpkb.cli.command_end import (
    describe_end,
    end_like_command,
    print_stacks,
    refuse_unknown_option,
    report_error_after,
)
from dpkb.errors import CannotWrite, ExitCode, UsageError
from dpkb.ids import normalize_id
from dpkb.text import count_of

if TYPE_CHECKING:
    from dpkb.audit.result import AuditFinding, AuditResult
    from dpkb.catalogue.load import Catalogue

# Seconds of a run in which a finding is not printed at once: the report comes soon, and has it.
_REPORT_IS_NEAR = 10


@app.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
def audit(
    command: Annotated[list[str], typer.Argument(metavar="-- COMMAND…", help="What to run.")],
    steps: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="End the command after this many optimizer steps.")
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Also write the report as JSON.")
    ] = None,
    json_lines: Annotated[
        Path | None,
        typer.Option(
            "--json-lines", metavar="FILE", help="Append each finding to this file, as soon as it is made."
        ),
    ] = None,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="If the command succeeded: return 1 if it has findings, 2 if nothing was watched.",
        ),
    ] = False,
    earlier_report: Annotated[
        Path | None,
        typer.Option(
            "--compare", metavar="FILE", help="Compare with an earlier audit, which wrote this JSON file."
        ),
    ] = None,
    trace: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write what each step did (digests and numbers, no data), for --same-as."
        ),
    ] = None,
    earlier_trace: Annotated[
        Path | None,
        typer.Option(
            "--same-as",
            metavar="FILE",
            help="Compare each step with the trace of an earlier run. Returns 0 if they are equal, 1 if they differ, "
            "2 if they cannot be compared.",
        ),
    ] = None,
    ignore: Ignore = None,
    hints: Hints = False,
    stalled: Stalled = None,
    kb: Kb = None,
) -> int:
    """Run a training program, and name its failures.

    The command runs unchanged, in its own environment, which need not have dpkb. When it has ended, dpkb
    prints the report on standard error, and returns the exit code of the command. Findings of a run that
    lasts longer than ten seconds are also printed when they are made, a line for each.

    A comment `# dpkb: ignore[DP1]` in a line of the program silences DP1 there.

    Does a resume continue the run? `dpkb audit --trace whole.jsonl -- python train.py` records a run that is
    not stopped. Then stop another one, and `dpkb audit --same-as whole.jsonl -- python train.py --resume` names
    the first step and the first thing that differ. Without a resume it says whether the program repeats itself.
    """
    from dpkb.audit.compare import read_ids
    from dpkb.audit.failure import explain_failure
    from dpkb.audit.follow import FindingsFile
    from dpkb.output.audit import render_audit_heading
    from dpkb.relay.audited_command import CannotCollect, audit_command
    from dpkb.relay.command import CannotStart

    if json_file and str(json_file).startswith("-"):
        raise UsageError(f"--json {json_file}: write a file name, such as --json audit.json")
    refuse_unknown_option(command[0])
    # Read both before the run, which may take hours.
    catalogue = load_catalogue(kb)
    ignored = _resolve_ids(ignore or [], catalogue)
    earlier_ids = read_ids(earlier_report, hints) - ignored if earlier_report else None
    require_writable(json_file)
    _prepare_traces(trace, earlier_trace)
    file: FindingsFile | None = None
    if json_lines:
        with explain_write_errors(json_lines):
            file = FindingsFile(json_lines)

    def tell(finding: AuditFinding) -> None:
        print_note(finding.as_line())
        if file:
            file.write(finding)

    try:
        end, result = audit_command(
            command,
            steps,
            stalled,
            lambda pid: print_stacks(pid, stalled),
            ignored,
            hints,
            tell,
            0 if json_lines else _REPORT_IS_NEAR,
            trace,
            earlier_trace,
        )
    except CannotStart as error:
        print_note(str(error))
        return error.exit_code
    except CannotCollect as error:
        return report_error_after(error.end, error)
    try:
        result = explain_failure(end, result, catalogue, ignored)
        how = (
            f"was ended by dpkb after {count_of(steps or 0, 'step')}"
            if end.on_request
            else describe_end(end, stalled)
        )
        print(render_audit_heading(command[0], how), file=sys.stderr)
        _report(result, catalogue.titles, end.code, earlier_ids, json_file)
        if file and json_lines:
            for finding in result.findings:
                file.write(finding)
            with explain_write_errors(json_lines):
                file.flush()
    except CannotWrite:  # the file of --json: whoever reads it has to know
        raise
    except Exception as error:
        return report_error_after(end, error)
    code = end_like_command(end)
    if earlier_trace and not code:
        code = result.same_as.verdict if result.same_as else ExitCode.CANNOT_ASK
    if code or not strict:
        return code
    if not result.processes:
        print_note(
            "--strict: nothing was watched, so nothing is known. Run a program that imports torch, "
            "with a Python that is started without -I, -E and -S; in a container, run dpkb there"
        )
        return ExitCode.CANNOT_ASK
    return ExitCode.NO if result.findings else ExitCode.YES


def _prepare_traces(trace: Path | None, earlier_trace: Path | None) -> None:
    """Remove an older trace, and see that both files can be used. Raises UsageError and CannotWrite."""
    from dpkb.audit.same_as import find_traces, read_header

    if earlier_trace:
        read_header(earlier_trace)
        if trace and trace.resolve() == earlier_trace.resolve():
            raise UsageError(f"--trace {trace}: is the trace to compare with; name another file")
    if trace:
        require_writable(trace)
        for file in find_traces(trace).values():
            if file.stat().st_size:
                read_header(file)  # another file is not overwritten
            file.unlink()


def _report(
    result: AuditResult,
    titles: Mapping[str, str],
    code: int,
    earlier_ids: frozenset[str] | None,
    json_file: Path | None,
) -> None:
    """Print the report on standard error, and write it as JSON if the user asked for that."""
    from dpkb import files
    from dpkb.audit.compare import compare
    from dpkb.output.audit import (
        audit_fields,
        render_audit,
        render_comparison,
        render_trace_comparison,
    )
    from dpkb.output.documents import render_document
    from dpkb.output.failure import render_frames
    from dpkb.output.terminal import count_columns, wants_colour

    if code and result.failed:
        lines = render_frames(result.failed.frames, count_columns(), process=result.failed.process)
        print("\n".join([*lines, ""]), file=sys.stderr)
    print(render_audit(result, titles, count_columns(), wants_colour(sys.stderr)), file=sys.stderr)
    comparison = None if earlier_ids is None else compare(earlier_ids, result)
    if comparison:
        print(f"\n{render_comparison(comparison)}", file=sys.stderr)
    if result.same_as:
        print(f"\n{render_trace_comparison(result.same_as, count_columns())}", file=sys.stderr)
    if json_file:
        text = render_document(audit_fields(result, titles, code, comparison))
        with explain_write_errors(json_file):
            files.write_named_text(json_file, text)


def _resolve_ids(names: list[str], catalogue: Catalogue) -> set[str]:
    """The ids as entries write them. Raises UsageError for an id that no entry has."""
    from dpkb.audit.guest_half import all_checks

    ids = set(map(normalize_id, names))
    # An entry without a check may still explain how a program ended.
    if unknown := ids - set(all_checks()) - set(catalogue.entries):
        raise UsageError(f"--ignore {min(unknown)}: no entry has this id; see dpkb list")
    return ids
