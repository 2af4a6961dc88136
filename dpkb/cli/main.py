"""The entry point: runs one command line, and turns each way in which it can end into an exit code."""

from __future__ import annotations

import codecs
import contextlib
import errno
import io
import os
import re
import shlex
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from dpkb.cli.app import app, print_note
from dpkb.errors import CannotWrite, DpkbError, ExitCode, UnmetNeed, UsageError
from dpkb.paths import find_cache_folder, find_state_folder
from dpkb.text import escape_controls, join_lines, replace_with_ascii

if TYPE_CHECKING:
    from typing_extensions import Buffer

# Each command is a module of this package. Importing all of them would take longer than a search.
COMMANDS = (
    "search",
    "diagnose",
    "lint",
    "audit",
    "versions",
    "show",
    "list",
    "diff",
    "repro",
    "verify",
    "run",
    "doctor",
    "matrix",
    "check",
    "new",
    "mcp",
    "skill",
)
_HELP = """\
dpkb: an executable error index for PyTorch training

  dpkb search bus error          a message or a symptom
  dpkb diagnose train.log        the logs of a job
  dpkb lint train.py             code, before it runs
  dpkb audit -- python train.py  a run that raises nothing

Look up        search    show  list   diff
Your job       diagnose  run   audit  lint  versions  doctor
See it happen  repro     verify matrix
Write entries  new       check
For agents     mcp       skill

An entry: dpkb DP15. The options of a command: dpkb run -h.
Completion in bash, zsh, fish: dpkb --install-completion
"""
# Commands whose exit code is a verdict. It must not be "yes" if nobody read the output.
_VERDICTS = ("search", "diagnose", "lint", "versions", "repro", "verify", "doctor", "check")
_DISK_FULL = (errno.ENOSPC, errno.EDQUOT)
_NOT_WRITABLE = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR)


class _ReaderGone(Exception):
    """The reader of standard output has closed it, as `| head` does."""


def main() -> None:
    """Run dpkb as a program."""
    open_streams()
    code = run_command_line(sys.argv[1:])
    _drop_unwritten_output()
    sys.exit(code)


def run_command_line(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code. Errors are reported on standard error."""
    arguments = _resolve_names(arguments)
    try:
        code = _run_command(arguments)
        # Flush here and not when the interpreter exits, so that a full disk is reported.
        sys.stdout.flush()
        return code
    except _ReaderGone:
        return ExitCode.READER_GONE if arguments and arguments[0] in _VERDICTS else ExitCode.YES
    except (KeyboardInterrupt, typer.Abort):
        return ExitCode.INTERRUPTED
    except Exception as error:
        return report_error(error)


def report_error(error: Exception) -> int:
    """Print an error on standard error, with its traceback if it is a bug. Returns its exit code."""
    user_error = _find_user_error(error) if isinstance(error, OSError) else error
    if isinstance(user_error, DpkbError):
        # One safe line, because the message may quote a catalogue.
        print_note(join_lines(str(user_error)))
        return user_error.exit_code
    import traceback

    return report_bug("".join(traceback.format_exception(error)))


def report_bug(traceback: str) -> int:
    """Print the traceback of a bug on standard error. Returns the exit code of bugs."""
    print(escape_controls(traceback), file=sys.stderr, end="")
    print_note("this is a bug in dpkb, not in your program. Please report the lines above.")
    return ExitCode.BUG


def load_commands(arguments: Sequence[str]) -> None:
    """Import the command that the arguments name, or all commands if they name none."""
    for name in arguments[:1] if arguments and arguments[0] in COMMANDS else COMMANDS:
        import_module(f"dpkb.cli.{name.replace('-', '_')}")


def _resolve_names(arguments: Sequence[str]) -> list[str]:
    """Other ways to ask: `dpkb DP15` and `dpkb explain DP15` for show, `dpkb help lint` for lint --help."""
    first, rest = (arguments[0], list(arguments[1:])) if arguments else ("", [])
    if first == "help":
        return [*rest[:1], "--help"]
    if first == "explain":
        return ["show", *rest]
    return ["show", *arguments] if re.fullmatch(r"[A-Za-z]{1,2}\d{1,3}", first) else list(arguments)


def _run_command(arguments: Sequence[str]) -> int:
    if "_DPKB_COMPLETE" in os.environ:  # the shell asks how a command line may go on
        load_commands([])
        typer.main.get_command(app).main(prog_name="dpkb")
    if arguments in ([], ["--help"], ["-h"]):
        print(_HELP, end="", file=sys.stdout if arguments else sys.stderr)
        return ExitCode.YES if arguments else ExitCode.CANNOT_ASK
    load_commands(arguments)
    command = typer.main.get_command(app)
    try:
        # command.main() would turn a broken pipe anywhere in dpkb into exit code 1.
        with command.make_context("dpkb", list(arguments)) as context:
            code: int | None = command.invoke(context)
            return code or ExitCode.YES
    except typer.Exit as ended:
        return ended.exit_code
    except Exception as error:
        # A mistake in a command line: of a class of click, or of typer's own copy, which it does not export.
        if (show := getattr(error, "show", None)) is None:
            raise
        show()
        if arguments[0] not in COMMANDS and not arguments[0].startswith("-"):
            print_note(f"to look for these words: dpkb search {shlex.join(arguments)}")
        return ExitCode.CANNOT_ASK


def _find_user_error(error: OSError) -> DpkbError | None:
    """The error that tells the user what is wrong with this machine; None if it is a bug of dpkb."""
    name, reason = str(error.filename or ""), error.strerror or str(error)
    if error.errno == errno.ENAMETOOLONG:
        return UsageError(f"{name or 'a path'}: this path is too long")
    if error.errno in _DISK_FULL:
        return CannotWrite(f"{name or 'temporary files'}: {reason}")
    if not name and "temporary directory" in reason:
        return UnmetNeed(f"{reason}; name a folder that can be written to: TMPDIR=DIR")
    if name.startswith("/proc/") and not os.path.exists("/proc/self"):
        return UnmetNeed(f"{name}: {reason}; dpkb can run scripts only if /proc is mounted")
    own = [folder for folder in (find_cache_folder(), find_state_folder()) if folder]
    if error.errno in _NOT_WRITABLE and any(map(Path(name).is_relative_to, own)):
        return CannotWrite(f"{name}: {reason}; name other folders: DPKB_CACHE_DIR=DIR, DPKB_STATE_DIR=DIR")
    return None


# -- standard streams -------------------------------------------------------------------------------


class _Output(io.FileIO):
    """Standard output. Its errors are different from those of other files."""

    def write(self, data: Buffer) -> int:
        """Write what fits. Raises _ReaderGone and CannotWrite."""
        try:
            while (count := super().write(data)) is None:
                # Another process has made the shared stream non-blocking: wait.
                import select

                select.select([], [self], [])
            return count
        except BrokenPipeError:
            raise _ReaderGone from None
        except OSError as error:
            raise CannotWrite(f"standard output cannot be written: {error.strerror}") from None


class _Messages(io.FileIO):
    """Standard error. A message that cannot be written is lost, but dpkb continues."""

    def write(self, data: Buffer) -> int:
        """Write the data if possible."""
        with contextlib.suppress(OSError):
            super().write(data)
        return len(memoryview(data))


def open_streams() -> None:
    """Replace the standard streams by streams that report errors and can encode every character."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # Closed by the caller (>&-). Otherwise the next file that dpkb opens would get its number.
            null = os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, open(null, mode, encoding="utf-8", closefd=False))  # noqa: SIM115
    # A character that the terminal cannot show is replaced by a similar character or by its number.
    codecs.register_error("dpkb", replace_with_ascii)
    sys.stdout = _create_text_stream(sys.stdout, _Output)
    sys.stderr = _create_text_stream(sys.stderr, _Messages, line_buffering=True)


def _create_text_stream(stream: Any, kind: type[io.FileIO], line_buffering: bool = False) -> io.TextIOWrapper:
    return io.TextIOWrapper(
        io.BufferedWriter(kind(stream.fileno(), "w", closefd=False)),
        stream.encoding,
        "dpkb",
        line_buffering=line_buffering or stream.isatty(),
    )


def _drop_unwritten_output() -> None:
    """Drop output that could not be written; otherwise the interpreter would try again when it exits."""
    try:
        sys.stdout.flush()
    except (CannotWrite, _ReaderGone):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
