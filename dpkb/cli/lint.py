"""`dpkb lint`: find failures of the catalogue in code."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dpkb.cli.app import (
    NO,
    YES,
    Hints,
    Ignore,
    app,
    load_catalogue,
    print_note,
    shorten_path,
    show_waiting,
)
from dpkb.errors import CannotWrite, DpkbError, ExitCode, UsageError
from dpkb.paths import find_catalogue_folders
from dpkb.text import count_of

if TYPE_CHECKING:
    from dpkb.lint.run import LintResult, Selection

_FORMATS = ("text", "concise", "json", "sarif", "github")


@app.command()
def lint(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[PATH…]",
            help="Python files, notebooks and folders; this folder by default. "
            "Skips hidden folders, Python environments, __pycache__, "
            "node_modules, site-packages, build and dist.",
        ),
    ] = None,
    select: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="Only this entry. Can be repeated.")
    ] = None,
    ignore: Ignore = None,
    hints: Hints = False,
    format: Annotated[
        str,
        typer.Option(
            "--format", "--output-format", metavar="FORMAT", help="text, concise, json, sarif or github."
        ),
    ] = "text",
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    statistics: Annotated[
        bool, typer.Option("--statistics", help="Only count the findings of each entry.")
    ] = False,
    fix: Annotated[
        bool,
        typer.Option(
            "--fix",
            help="Apply the safe corrections, which change nothing that works; report the other findings.",
        ),
    ] = False,
    unsafe_fixes: Annotated[
        bool,
        typer.Option(
            "--unsafe-fixes",
            help="With --fix or --diff: also corrections that are right in most programs only.",
        ),
    ] = False,
    diff: Annotated[
        bool,
        typer.Option(
            "--diff",
            help="Only print the patch that --fix would apply. Returns 1 if "
            "there is one. Other findings are not printed.",
        ),
    ] = False,
    explain: Annotated[
        str | None, typer.Option(metavar="ID", help="Print what the rule for this entry looks for.")
    ] = None,
    python: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help="Also report names that the libraries of this Python lack; it is not started.",
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="The number of processes; by default one for each core."),
    ] = None,
    kb: Annotated[
        list[Path] | None,
        typer.Option(
            "--kb",
            metavar="DIR",
            help="Add a catalogue, for the titles in JSON and SARIF: a "
            "folder with kb/ and reproducers/. Can be repeated.",
        ),
    ] = None,
) -> int:
    """Find failures of the catalogue in code, before it runs.

    A comment `# dpkb: ignore[DP1]` silences DP1 in its line. The table [tool.dpkb.lint] of the
    pyproject.toml nearest to each PATH can have select, ignore, hints, and exclude, a list of patterns of
    paths.
    """
    from dpkb.lint.fix import fix_until_stable
    from dpkb.lint.rules import parse_rule_id
    from dpkb.lint.run import lint as lint_paths
    from dpkb.lint.settings import read_selections
    from dpkb.output.lint import render_rule

    if explain is not None:
        print(render_rule(parse_rule_id(explain)))
        return YES
    _check_output_options(format, as_json, diff, statistics)
    _check_fix_options(paths or [], fix, unsafe_fixes, diff)
    find_catalogue_folders(kb)  # reports a wrong --kb now, and for each format
    paths = paths or [Path()]
    selections = read_selections(
        paths,
        select=[parse_rule_id(name) for name in select or []],
        ignore=[parse_rule_id(name) for name in ignore or []],
        hints=hints,
    )
    find = partial(lint_paths, selections, jobs)
    skipped: dict[str, DpkbError] = {}
    with show_waiting("reading code"):
        result, fixed = fix_until_stable(find, unsafe_fixes, skipped) if fix and not diff else (find(), None)
    if fixed is not None:
        print_note(f"fixed {count_of(fixed, 'finding')}")
    if python is not None and not diff:
        result = _add_missing_names(result, paths, python, selections)
    for name, reason in result.unreadable.items():
        print_note(f"{name}: {reason}")
    if diff:
        count = _print_diff(result, unsafe_fixes, skipped)
    else:
        _print_findings(result, selections, "json" if as_json else format, statistics, kb)
        count = len(result.findings)
    for error in skipped.values():
        print_note(str(error))
    if result.failures:
        return _report_failures(result)
    if any(isinstance(error, CannotWrite) for error in skipped.values()):
        return ExitCode.CANNOT_WRITE
    if count:
        return NO
    if not result.files and not result.excluded and not result.unreadable:
        print_note(f"no Python files or notebooks in {', '.join(map(str, paths))}")
        return ExitCode.CANNOT_ASK
    named = {str(path) for path in paths}
    none_read = result.unreadable and not result.files
    return ExitCode.CANNOT_ASK if none_read or named & set(result.unreadable) else YES


def _report_failures(result: LintResult) -> int:
    """Name each rule that failed on a file, with the traceback of the first of each rule. Returns the code."""
    from dpkb.cli.main import report_bug

    for failure in result.failures:
        what = f"the rule of {failure.rule} failed on it" if failure.rule else "could not be indexed"
        print_note(f"{failure.file}: {what}: {failure.error}")
    first = {failure.rule: failure.traceback for failure in reversed(result.failures)}
    return report_bug("\n".join(first.values()))


def _add_missing_names(
    result: LintResult, paths: list[Path], python: str, selections: Mapping[Path, Selection]
) -> LintResult:
    """The result with the names that the libraries of an environment lack."""
    from dataclasses import replace

    from dpkb.lint.missing_names import find_missing_names, is_outdated
    from dpkb.lint.run import choose_selection
    from dpkb.versions.requirements import find_installed

    findings = [finding for finding in result.findings if not is_outdated(finding)]
    known = {(finding.file, finding.cell, finding.line, finding.id) for finding in findings}
    for finding in find_missing_names(paths, find_installed(python)):
        selection = choose_selection(Path(finding.file), selections)
        place = (finding.file, finding.cell, finding.line, finding.id)
        if place not in known and selection.wants(finding.id) and not selection.excludes(Path(finding.file)):
            known.add(place)
            findings.append(finding)
    findings.sort(key=lambda finding: (finding.file, finding.cell or 0, finding.line))
    return replace(result, findings=tuple(findings))


def _check_output_options(format: str, as_json: bool, diff: bool, statistics: bool) -> None:
    """Raise UsageError for an unknown format, or for options that contradict others."""
    if format not in _FORMATS:
        raise UsageError(f"--format {format}: must be one of {', '.join(_FORMATS)}")
    json_twice = as_json and format == "json"
    given = [
        name
        for name, is_given in (
            ("--diff", diff),
            ("--statistics", statistics),
            ("--json", as_json),
            ("--format", format != "text" and not json_twice),
        )
        if is_given
    ]
    if len(given) > 1:
        raise UsageError(f"{given[0]} and {given[1]} contradict each other: use one of them")


def _check_fix_options(paths: list[Path], fix: bool, unsafe_fixes: bool, diff: bool) -> None:
    """Raise UsageError for a correction that has no effect or is not possible."""
    if unsafe_fixes and not (fix or diff):
        raise UsageError("--unsafe-fixes has no effect by itself: add --fix or --diff")
    for path in paths if fix or diff else []:
        # A file that is corrected is read twice.
        if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
            raise UsageError(f"{path} is a pipe, which --fix and --diff cannot correct: write it to a file")


def _print_findings(
    result: LintResult,
    selections: Mapping[Path, Selection],
    format: str,
    statistics: bool,
    kb: list[Path] | None,
) -> None:
    from dpkb.output import lint as output
    from dpkb.output.documents import render_document
    from dpkb.output.terminal import count_columns, wants_colour

    if statistics:
        print(output.render_statistics(result))
    elif format == "json":
        print(render_document(output.lint_fields(result, load_catalogue(kb).titles)))
    elif format == "sarif":
        print(output.render_sarif(result, load_catalogue(kb).titles))
    elif format == "text":
        hints = all(selection.hints for selection in selections.values())
        # Elsewhere each finding stays on one line: programs read it.
        print(
            output.render_lint(
                result,
                hints,
                wants_colour(sys.stdout),
                count_columns() if sys.stdout.isatty() else sys.maxsize,
            )
        )
    elif result.findings:
        render = output.render_lines if format == "concise" else output.render_github_commands
        print(render(result))


def _print_diff(result: LintResult, unsafe: bool, skipped: dict[str, DpkbError]) -> int:
    """Print the patch that --fix would apply. Returns the number of findings that it fixes."""
    from dpkb.lint.fix import correct_files, diff

    changed = correct_files(result.findings, unsafe, skipped)
    for file, correction in changed.items():
        sys.stdout.write(diff(shorten_path(Path(file)), correction.before, correction.after))
    total = sum(correction.number for correction in changed.values())
    left = len(result.findings) - total
    others = f"; {count_of(left, 'finding')} cannot: see {'it' if left == 1 else 'them'} without --diff"
    if result.files:
        print_note(
            f"{count_of(total, 'finding')} in {count_of(len(changed), 'file')} can be fixed"
            + (others if left else "")
        )
    return total
