"""The command line: finds the command, and is the only exit."""

from __future__ import annotations

import contextlib
import os
import sys
from importlib import import_module

from dpkb.errors import DpkbError
from dpkb.options import BUG, NO, YES, app
from dpkb.plain import one_line

# Where each command is. Building the options of all of them takes longer than a search.
_COMMANDS = {
    "commands_lookup": ("search", "diagnose", "show", "list", "diff"),
    "commands_run": ("repro", "verify", "run", "bisect", "matrix", "claims"),
    "commands_maintain": ("check", "new", "mutate", "site", "env", "merge-evidence"),
}


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
    stdout = sys.stdout
    try:
        try:
            load_commands(sys.argv[1:2])
            app(prog_name="dpkb")
        finally:
            if sys.stdout is not stdout:
                # typer met a pipe without a reader, and has put a wrapper there.
                raise BrokenPipeError
            # Here, where it can be told, and not when the interpreter ends.
            stdout.flush()
    except DpkbError as error:
        _say(str(error))
        sys.exit(error.exit_code)
    except BrokenPipeError:
        # The reader of our output is gone (| head): nothing more to say, and no error.
        _drop_output()
        sys.exit(YES)
    except OSError as error:
        # A full disk, a folder that nobody may write: the machine's state, and no bug.
        _drop_output()
        _say(f"{error.filename or 'output'}: {error.strerror or error}")
        sys.exit(NO)
    except Exception:
        import traceback

        traceback.print_exc()
        print("dpkb: this is a bug in dpkb, not in your training. Please report the lines above.",
              file=sys.stderr)
        sys.exit(BUG)


def _open_streams() -> None:
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # Closed by whoever started us (>&-): the next file that is opened would take its place.
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character gets it written out, never a crash.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _drop_output() -> None:
    """What is left in the buffer of standard output must not be tried again when the interpreter ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _say(text: str) -> None:
    """One line on standard error; a catalogue's own words may be in it."""
    with contextlib.suppress(OSError):
        print(f"dpkb: {one_line(text)}", file=sys.stderr)
