"""`dpkb skill`: instructions for coding agents."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from dpkb.cli.app import YES, app, explain_write_errors, print_note, shorten_path
from dpkb.errors import UsageError


@app.command()
def skill(
    output: Annotated[
        str | None,
        typer.Option(metavar="PATH", help="Write it to this new file, or to SKILL.md in this folder."),
    ] = None,
) -> int:
    """Print instructions for coding agents: a SKILL.md file.

    It says when to use which command, and how to read the answers.
    """
    from dpkb.output.documents import read_skill

    if output is None:
        print(read_skill(), end="")
        return YES
    path = Path(output)
    # A folder that does not exist yet is recognised by the slash at its end, which Path drops.
    if path.is_dir() or output.endswith(("/", os.sep)):
        path /= "SKILL.md"
    with explain_write_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with path.open("x", encoding="utf-8", newline="\n") as file:
                file.write(read_skill())
        except FileExistsError:
            raise UsageError(f"{path} already exists: remove it, or name another file") from None
    print_note(f"written: {shorten_path(path.resolve())}")
    return YES
