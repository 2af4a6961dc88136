"""The exit codes of dpkb, and the errors that the user can fix."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """The exit codes of all commands. A command returns YES or NO; an exception never means NO."""

    YES = 0
    NO = 1
    CANNOT_ASK = 2
    BUG = 3
    CANNOT_WRITE = 74  # EX_IOERR of sysexits.h
    STALLED = 124  # like timeout(1)
    INTERRUPTED = 130  # 128 + SIGINT
    READER_GONE = 141  # 128 + SIGPIPE


class DpkbError(Exception):
    """The question could not be asked, for example because an input cannot be read.

    Shown to the user as one line, without a traceback.
    """

    exit_code = ExitCode.CANNOT_ASK


class UsageError(DpkbError):
    """The command line does not make sense."""


class UnknownName(UsageError):
    """An id or a script name that the catalogue does not have."""


class UnmetNeed(UsageError):
    """Something that the command needs is missing: torch, an interpreter, trust in a catalogue."""


class UnusableTorch(UnmetNeed):
    """A version of torch that cannot be installed here, or an interpreter that has no torch."""


class CannotWrite(DpkbError):
    """There is an answer, but it could not be written or kept."""

    exit_code = ExitCode.CANNOT_WRITE


class Stopped(DpkbError):
    """The user stopped the command (Ctrl-C)."""

    exit_code = ExitCode.INTERRUPTED

    def __str__(self) -> str:
        return "stopped; nothing is left running"
