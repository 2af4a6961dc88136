"""What can go wrong for a user of dpkb, and the exit code that each means."""


class DpkbError(Exception):
    """A mistake or a missing thing that the user can mend; shown as one line, never a traceback."""

    exit_code = 1


class UsageError(DpkbError):
    """The command cannot be carried out as it was given."""

    exit_code = 2


class UnknownName(UsageError):
    """An id or script name that the catalogue does not have."""


class MissingTool(UsageError):
    """Something outside dpkb that the command needs: torch, an interpreter, a trusted catalogue."""


class Stopped(DpkbError):
    """The whole command is ending (Ctrl-C): a run was cut short."""

    exit_code = 130

    def __str__(self) -> str:
        return "stopped; nothing is left running"
