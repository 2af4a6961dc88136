"""The typer application, and what several commands share: options, and how they start."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dpkb import __version__
from dpkb.errors import CannotWrite, DpkbError, ExitCode, UsageError
from dpkb.output.terminal import count_columns
from dpkb.paths import find_built_in_catalogue, find_catalogue_folders, find_working_folder
from dpkb.text import NOTE_START, wrap

if TYPE_CHECKING:
    from dpkb.catalogue.load import Catalogue
    from dpkb.model import Reproducer
    from dpkb.runner.session import Session

app = typer.Typer(
    help="An executable error index for PyTorch training.\n\n"
    "Look up a failure, see it happen on this machine, and see the fix work.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

YES, NO = ExitCode.YES, ExitCode.NO
# More seconds or megabytes than any machine has. Larger numbers overflow when dpkb computes with them.
_LARGEST_NUMBER = 1e15


def require_finite(number: float | None) -> float | None:
    """Refuse an option that is infinite, nan, or too large to compute with: typer's `min` accepts these."""
    if number is not None and not number <= _LARGEST_NUMBER:  # nothing is less than nan
        raise typer.BadParameter(f"{number} is not a number up to {_LARGEST_NUMBER:g}")
    return number


Kb = Annotated[
    list[Path] | None,
    typer.Option(
        "--kb", metavar="DIR", help="Add a catalogue: a folder with kb/ and reproducers/. Can be repeated."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def complete_id(incomplete: str) -> list[str]:
    """The ids that begin so, for the completion of the shell."""
    folders = find_catalogue_folders(None)
    ids = {page.name.partition("_")[0] for folder in folders for page in folder.glob("kb/*_*.md")}
    if not incomplete.islower():
        ids = {name.upper() for name in ids}
    return sorted(name for name in ids if name.startswith(incomplete))


Id = Annotated[
    str,
    typer.Argument(metavar="ID", help="The id of an entry, e.g. DP15.", autocompletion=complete_id),
]
Family = Annotated[
    str | None, typer.Option("--family", metavar="LETTERS", help="Only entries of this family, e.g. DP.")
]
KindName = Annotated[
    str | None,
    typer.Option(
        "--kind", metavar="KIND", help="Only this kind: silent, raises, hangs, killed, slow or memory."
    ),
]
Python = Annotated[
    str | None,
    typer.Option(metavar="PATH", help="The Python that runs the scripts. It needs torch, but not dpkb."),
]
OneTorch = Annotated[
    str | None,
    typer.Option(
        "--torch",
        metavar="VERSION",
        help="Run with this version of torch, in an environment that uv creates.",
    ),
]
Torch = Annotated[
    list[str] | None,
    typer.Option(
        "--torch",
        metavar="VERSION",
        help="Run with this version of torch, in an environment that uv creates. Can be repeated.",
    ),
]
Device = Annotated[str, typer.Option(metavar="auto|cpu|cuda", help="Where the scripts run.")]
Trust = Annotated[
    bool, typer.Option("--trust", help="Run the scripts of added catalogues, which are other people's code.")
]
Stalled = Annotated[
    float | None,
    typer.Option(
        metavar="SECONDS",
        min=1,
        callback=require_finite,
        help="End the command after this long without output, and show where it waits.",
    ),
]
Ignore = Annotated[
    list[str] | None, typer.Option(metavar="ID", help="Leave out this entry. Can be repeated.")
]
Hints = Annotated[bool, typer.Option("--hints", help="Also show hints: places that are only worth a look.")]
Timeout = Annotated[
    float,
    typer.Option(
        metavar="SECONDS", min=1, callback=require_finite, help="Stop a script that takes longer than this."
    ),
]


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"dpkb {__version__}")
        raise typer.Exit


@app.callback()
def _take_global_options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


def load_catalogue(kb: list[Path] | None) -> Catalogue:
    """Load the entries of all catalogues in use. Warns on standard error if some cannot be read."""
    from dpkb.catalogue.load import load

    catalogue = load(find_catalogue_folders(kb))
    warn_unreadable(catalogue.unreadable_count)
    return catalogue


def warn_unreadable_evidence(error: DpkbError) -> None:
    """Print on standard error that a file of recorded runs is left out, and why."""
    print_note(str(error))


def warn_unreadable(count: int) -> None:
    """Print on standard error how many entries are left out."""
    if count:
        noun = "entry cannot be read and is" if count == 1 else "entries cannot be read and are"
        print_note(f"{count} {noun} left out; `dpkb check` prints the reason")


def check_kind(kind: str | None) -> None:
    """Raise UsageError for a kind that no entry can have."""
    if kind is None:
        return
    from dpkb.model import FailureKind

    kinds = [known.value for known in FailureKind]
    if kind not in kinds:
        raise UsageError(f"--kind {kind}: must be one of {', '.join(kinds)}")


def check_family(family: str | None, catalogue: Catalogue) -> None:
    """Raise UsageError for a family that the catalogue does not have."""
    known = {entry.family for entry in catalogue} | set(catalogue.families)
    if family is not None and family not in known:
        raise UsageError(f"--family {family}: must be one of {', '.join(sorted(known))}")


def print_note(message: str) -> None:
    """Print information on standard error: as one safe line, or wrapped on a terminal."""
    text = wrap(NOTE_START + message, count_columns() if sys.stderr.isatty() else sys.maxsize, "")
    print(text, file=sys.stderr, flush=True)


@contextlib.contextmanager
def show_waiting(what: str) -> Iterator[None]:
    """On a terminal, say from the second second on what takes so long. It is gone at the end."""
    start = time.monotonic()

    def show(*_: object) -> None:
        os.write(2, f"\r{NOTE_START}{what}, {time.monotonic() - start:.0f} s"[:width].encode())

    # A thread would be forked into the processes of lint. A timer is not inherited.
    if not sys.stderr.isatty() or os.name != "posix":
        yield
        return
    # What is wider would leave a line behind. Standard output may be a pipe; a terminal may not know its size.
    width = min(os.get_terminal_size(2).columns or 80, 60) - 1
    signal.signal(signal.SIGALRM, show)
    signal.setitimer(signal.ITIMER_REAL, 2, 1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        if time.monotonic() - start >= 2:
            os.write(2, f"\r{' ' * width}\r".encode())


def ask(question: str) -> bool:
    """Ask a yes/no question on the terminal. No terminal means no."""
    return sys.stdin.isatty() and sys.stderr.isatty() and typer.confirm(question, err=True)


def warn_unconfined(scripts: list[Reproducer], session: Session) -> None:
    """Print on standard error what this machine cannot keep these scripts from."""
    for message in dict.fromkeys(session.confinement_of(script.needs).warning for script in scripts):
        if message:
            print_note(message)


@contextlib.contextmanager
def explain_write_errors(path: Path) -> Iterator[None]:
    """Raise CannotWrite if a file cannot be written there."""
    try:
        yield
    except OSError as error:
        raise CannotWrite(f"{error.filename or path}: cannot be written: {error.strerror or error}") from None


def require_writable(path: Path | None) -> None:
    """Raise CannotWrite if a file cannot be written there. Call it before a run, which may take hours."""
    if path:
        from dpkb import files

        with explain_write_errors(path):
            files.require_writable(path)


def shorten_path(path: Path) -> str:
    """The path relative to the working folder if it is in there, otherwise unchanged."""
    here = find_working_folder()
    return str(path.relative_to(here)) if here and path.is_relative_to(here) else str(path)


def find_writable_catalogue(folders: list[Path]) -> Path:
    """The catalogue for new files: the last --kb, the team's .dpkb/, or the checkout. Raises UsageError."""
    target = folders[-1]
    if target == find_built_in_catalogue() and target.name == "catalogue_data":
        raise UsageError(
            "there is no catalogue to write to: create the folder .dpkb/kb here, "
            "or name a catalogue with --kb DIR"
        )
    return target
