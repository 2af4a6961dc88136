"""The command line: finds the command, and is the only exit."""

from __future__ import annotations

import os
import sys
from importlib import import_module

from dpkb.errors import DpkbError
from dpkb.options import BUG, YES, app

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
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character gets it written out, never a crash.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        load_commands(sys.argv[1:2])
        app(prog_name="dpkb")
    except DpkbError as error:
        print(f"dpkb: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        # The reader of our output is gone (| head): nothing more to say, and no error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(YES)
    except Exception:
        import traceback

        traceback.print_exc()
        print("dpkb: this is a bug in dpkb, not in your training. Please report the lines above.",
              file=sys.stderr)
        sys.exit(BUG)
