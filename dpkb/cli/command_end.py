"""The command of `dpkb run` or `dpkb audit`: how it ended, in words and as the exit code of dpkb."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

from dpkb.cli.main import report_error
from dpkb.errors import ExitCode, UsageError
from dpkb.text import NOTE_START

if TYPE_CHECKING:
    from dpkb.run_records import CommandEnd


def refuse_unknown_option(name: str) -> None:
    """Raise UsageError if the command to run is rather a misspelt option of dpkb."""
    if name.startswith("-") and not shutil.which(name):
        raise UsageError(
            f"{name} is neither an option of this command nor a program; "
            "the options come first, then -- and what to run"
        )


def print_stacks(pid: int, seconds: float | None) -> str:
    """Print where the processes of a stalled command are waiting, and return it.

    seconds: how long the command wrote nothing.
    """
    from dpkb.relay.stacks import describe_stacks

    stacks = describe_stacks(pid)
    print(f"\n{NOTE_START}no output for {seconds:g} s. {stacks}", file=sys.stderr)
    return stacks


def describe_end(end: CommandEnd, stalled: float | None) -> str:
    """How the command ended, as words that follow its name."""
    if end.stalled:
        return f"was ended by dpkb after {stalled:g} s without output"
    if end.code >= 0:
        return f"ended with code {end.code}"
    return f"was ended by {_find_signal_name(-end.code)}"


def _find_signal_name(number: int) -> str:
    import signal

    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def end_like_command(end: CommandEnd) -> int:
    """The exit code of the command, as the code of dpkb. If a signal ended it, end by that signal."""
    if end.stalled:
        return ExitCode.STALLED
    if end.on_request:
        return ExitCode.YES
    if end.code < 0:
        sys.stderr.flush()
        _end_by_signal(-end.code)
        # Process 1 of a container survives its own signals. What a shell returns:
        return 128 - end.code
    return end.code


def report_error_after(end: CommandEnd, error: Exception) -> int:
    """Report an error of dpkb after the end of the command. Returns the code of the command if it failed."""
    code = report_error(error)
    return end_like_command(end) or code


def _end_by_signal(number: int) -> None:
    """End by this signal, so that the shell sees Ctrl-C or a crash, not an exit code."""
    import resource
    import signal

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # write no core file: that of the command is enough
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
    if number not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
