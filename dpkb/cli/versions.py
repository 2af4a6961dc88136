"""`dpkb versions`: which releases of its libraries code needs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from dpkb.cli.app import NO, YES, Json, app, print_note, show_waiting
from dpkb.errors import ExitCode, UsageError


@app.command()
def versions(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[PATH…]",
            help="Python files, notebooks, requirements files and folders; this folder by default.",
        ),
    ] = None,
    python: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help="Compare with the packages of this Python, which is not started; by default with the active "
            "environment, or none.",
        ),
    ] = None,
    requirements: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write the newest releases that fit together as a requirements file."
        ),
    ] = None,
    try_it: Annotated[
        bool,
        typer.Option(
            "--try",
            help="Install these releases with uv in a temporary environment, and import the library names that the "
            "code uses; nothing of the code runs.",
        ),
    ] = False,
    as_json: Json = False,
) -> int:
    """Show which releases code needs, and what breaks.

    The code is read, never run.
    """
    from dpkb.output.documents import render_document
    from dpkb.output.terminal import count_columns, wants_colour
    from dpkb.output.versions import render_versions, versions_fields
    from dpkb.versions.report import examine
    from dpkb.versions.requirements import choose_python, find_installed, newest_set

    paths = paths or [Path()]
    with show_waiting("reading code"):
        report = examine(paths, find_installed(python))
        lines = newest_set({package.name: package.good for package in report.packages})
    for name, reason in report.unreadable.items():
        print_note(f"{name}: {reason}")
    if as_json:
        print(render_document(versions_fields(report, lines)))
    else:
        print(render_versions(report, lines, wants_colour(sys.stdout), count_columns()))
    if (requirements or try_it) and not lines:
        raise UsageError(
            "no set of releases that is known fits this code, so there are no requirements to write"
        )
    needed_python = choose_python(lines)
    if requirements:
        _write(requirements, lines, needed_python)
    broken = any(package.ok is False for package in report.packages)
    if try_it:
        from dpkb.runner.try_releases import try_releases

        names = sorted({name for package in report.packages for name in package.imports})
        missing = try_releases(lines, needed_python, names, print_note)
        for name, reason in missing.items():
            print_note(f"{name}: {reason}")
        print_note(f"{len(names) - len(missing)} of {len(names)} names can be imported with these releases")
        broken |= bool(missing)
    if report.unreadable and len(report.unreadable) >= report.files:
        return ExitCode.CANNOT_ASK
    if not report.files:
        print_note(f"no Python files, notebooks or requirements in {', '.join(map(str, paths))}")
        return ExitCode.CANNOT_ASK
    return NO if broken else YES


def _write(path: Path, lines: list[str], python: str | None) -> None:
    from dpkb.files import write_named_text
    from dpkb.output.versions import BORDERS

    head = ["# The newest releases that have every name that the code uses, as far as `dpkb versions` knows;"]
    head += [f"# {BORDERS}." + (f" For Python {python}." if python else "")]
    write_named_text(path, "\n".join([*head, *lines]) + "\n")
