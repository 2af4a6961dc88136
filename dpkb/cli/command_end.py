"""The end of a command that `dpkb run` or `dpkb audit` ran: for the reader, and as the exit code of dpkb."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from dpkb.errors import ExitCode

if TYPE_CHECKING:
    from dpkb.runner.relay import CommandEnd


def show_stacks(pid: int, seconds: float | None) -> None:
    """Say where the processes of a command that has written nothing for this many seconds are waiting."""
    from dpkb.runner.stacks import describe_stacks

    print(f"\ndpkb: no output for {seconds:g} s. {describe_stacks(pid)}", file=sys.stderr)


def how_it_ended(end: CommandEnd, stalled: float | None) -> str:
    """How the command ended, to stand behind its name."""
    if end.stalled:
        return f"was ended: it had written nothing for {stalled:g} s"
    if end.code >= 0:
        return f"ended with code {end.code}"
    return f"was ended by {_signal_name(-end.code)}"


def _signal_name(number: int) -> str:
    import signal

    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def end_as(end: CommandEnd) -> int:
    """The exit code that says how the command ended; after a signal, dpkb ends by the same signal here."""
    if end.stalled:
        return ExitCode.STALLED
    if end.on_request:
        return ExitCode.YES
    if end.code < 0:
        sys.stderr.flush()
        _die_by(-end.code)
    return end.code


def _die_by(number: int) -> None:
    """End by this signal: a shell tells Ctrl-C and crashes by the signal, not by a code."""
    import resource
    import signal

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # the core of the command is enough
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
    if number not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
