"""The command line: finds the command, and is the only exit."""

from __future__ import annotations

import codecs
import contextlib
import errno
import io
import os
import sys
from importlib import import_module

from dpkb.errors import DpkbError
from dpkb.options import BUG, GONE, NO, YES, app
from dpkb.plain import in_ascii, one_line

# Where each command is. Building the options of all of them takes longer than a search.
_COMMANDS = {
    "commands_lookup": ("search", "diagnose", "show", "list", "diff"),
    "commands_run": ("repro", "verify", "run", "bisect", "matrix", "claims"),
    "commands_maintain": ("check", "new", "mutate", "site", "env", "merge-evidence"),
}
# Their exit code is a verdict: 0 must not be read where nobody waited for it.
_JUDGES = ("repro", "verify", "bisect", "check", "mutate")


def load_commands(asked: list[str]) -> None:
    """Make the command that was asked for known to the app; all, where none of them was."""
    modules = [module for module, names in _COMMANDS.items() if asked and asked[0] in names]
    for module in modules or _COMMANDS:
        import_module(f"dpkb.{module}")
    if modules:
        named = [c for c in app.registered_commands if (c.name or c.callback.__name__) == asked[0]]
        app.registered_commands = named or app.registered_commands


def main() -> None:
    """Run the command line; every end of the program is here."""
    _open_streams()
    code: str | int | None = GONE if sys.argv[1:2] and sys.argv[1] in _JUDGES else YES
    try:
        code = _run_app(code)
        # Here, where it can be told, and not when the interpreter ends.
        sys.stdout.flush()
    except DpkbError as error:
        _say(str(error))
        code = error.exit_code
    except BrokenPipeError:
        # The reader of our output is gone (| head): nothing more to say, and no error.
        pass
    except OSError as error:
        # A full disk, a folder that nobody may write: the machine's state, and no bug.
        _say(_trouble(error))
        code = NO
    except Exception:
        import traceback

        traceback.print_exc()
        print("dpkb: this is a bug in dpkb, not in your training. Please report the lines above.",
              file=sys.stderr)
        code = BUG
    _drop_output()
    sys.exit(code)


def _run_app(code: str | int | None) -> str | int | None:
    """Run the command; its exit code."""
    stdout = sys.stdout
    try:
        load_commands(sys.argv[1:2])
        app(prog_name="dpkb")
    except SystemExit as ended:
        code = ended.code
    if sys.stdout is not stdout:
        # typer met a pipe without a reader, and has put a wrapper there.
        sys.stdout = stdout
        raise BrokenPipeError
    return code


def _open_streams() -> None:
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # Closed by whoever started us (>&-): the next file that is opened would take its place.
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
    # A terminal that cannot show a character gets another or its number, never a crash.
    codecs.register_error("dpkb", in_ascii)
    sys.stdout.reconfigure(errors="dpkb")
    encoding = sys.stderr.encoding
    sys.stderr = _Notes(sys.stderr.detach(), encoding, "dpkb", line_buffering=True)


def _drop_output() -> None:
    """What standard output cannot take must not be tried again when the interpreter ends."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _trouble(error: OSError) -> str:
    if error.filename is None and error.errno == errno.ENOENT:
        # tempfile's own, with all the places that it tried.
        return f"{error.strerror}; name one that can be written: TMPDIR=DIR"
    of_proc = str(error.filename).startswith("/proc/")
    need = "; dpkb runs scripts only where /proc is mounted" if of_proc else ""
    return f"{error.filename or 'output'}: {error.strerror or error}{need}"


def _say(text: str) -> None:
    """One line on standard error; a catalogue's own words may be in it."""
    print(f"dpkb: {one_line(text)}", file=sys.stderr)


class _Notes(io.TextIOWrapper):
    """Standard error: what finds no room or no reader there is lost, and no reason to stop."""

    def write(self, text: str) -> int:
        with contextlib.suppress(OSError):
            super().write(text)
        return len(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError):
            super().flush()
