"""The typer application, the options that several commands share, and what they all do first."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from dpkb import __version__

if TYPE_CHECKING:
    from dpkb.catalogue import Catalogue

app = typer.Typer(
    help="An executable error index for PyTorch training.\n\n"
    "Look up a failure, see it happen on this machine, and see the fix work.",
    no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False,
    rich_markup_mode=None, context_settings={"help_option_names": ["-h", "--help"]},
)

YES, NO, BUG, HUNG = 0, 1, 3, 124
# A verdict that found no reader: 128 + SIGPIPE, as a shell has it.
GONE = 141

Kb = Annotated[
    list[Path] | None,
    typer.Option("--kb", metavar="DIR", help="Add a catalogue: a folder with kb/ and reproducers/."),
]
Json = Annotated[bool, typer.Option("--json", help="Machine-readable output.")]
Id = Annotated[str, typer.Argument(metavar="ID", help="An entry's id, e.g. DP15.")]
Python = Annotated[
    str | None,
    typer.Option(metavar="PATH", help="The interpreter that runs the scripts; needs torch, not dpkb."),
]
Torch = Annotated[
    list[str] | None,
    typer.Option("--torch", metavar="VERSION", help="Run with this torch, in an environment made by uv."),
]
Device = Annotated[str, typer.Option(metavar="auto|cpu|cuda", help="Where the scripts run.")]
Trust = Annotated[
    bool, typer.Option("--trust", help="Run the scripts of added catalogues: somebody's code.")
]
Timeout = Annotated[float, typer.Option(metavar="SECONDS", help="Stop a script after this long.", min=1)]


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"dpkb {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


def load_catalogue(kb: list[Path] | None, folders: list[Path] | None = None) -> Catalogue:
    """All entries of the catalogues in force; a warning where some cannot be read."""
    from dpkb.catalogue import load
    from dpkb.paths import catalogue_folders

    catalogue = load(folders or catalogue_folders(kb))
    warn_unreadable(catalogue.unreadable)
    return catalogue


def warn_unreadable(count: int) -> None:
    """Say on stderr that entries are left out."""
    if count:
        noun = "entry is" if count == 1 else "entries are"
        print(f"dpkb: {count} {noun} left out as unreadable; `dpkb check` says why", file=sys.stderr)


def in_colour(stream: TextIO) -> bool:
    """Whether this stream is a terminal that wants colour."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def columns() -> int:
    """How wide text may be: longer lines are hard to read."""
    return min(shutil.get_terminal_size().columns, 100)
