"""How far this machine can confine scripts."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from functools import lru_cache

from dpkb.model import Needs
from dpkb.run_records import Missing, MissingNeed
from dpkb.runner.scratch import run_folders
from dpkb.runner.supervisor_client import StartRefused, start_program

_OPEN_TO = "changing your files or signalling your processes or reaching the network"
# A program that does nothing is waited for this often, each time for at most a second.
_TRIES = 30


@dataclass(frozen=True)
class Confinement:
    """Whether a script is in namespaces (see guest/confine.py), and whether in a user namespace.

    why: the reason why it is in none.
    """

    active: bool = False
    user: bool = False
    why: str = ""

    @property
    def warning(self) -> str | None:
        """A warning about what a script could do; None if it is confined."""
        if self.active:
            return None
        return f"nothing keeps a script from {_OPEN_TO} here: {self.why}; see SECURITY.md"

    def find_unsettable_limit(self, needs: Needs) -> MissingNeed | None:
        """The limit that a script needs and that cannot be set here; None if all can be set."""
        if needs.open_files is not None and os.name != "posix":
            return MissingNeed(Missing.OTHER, f"a limit of {needs.open_files} open files cannot be set here")
        if needs.shm_mb is not None and not self.active:
            words = (
                f"a private /dev/shm of {needs.shm_mb} MB needs Linux and the right to mount: "
                f"root, or unprivileged user namespaces ({self.why})"
            )
            return MissingNeed(Missing.OTHER if sys.platform == "linux" else Missing.LINUX, words)
        return None


@lru_cache(maxsize=1)
def find_confinement() -> Confinement:
    """The confinement that this machine allows, found by confining a program that does nothing."""
    if sys.platform != "linux":
        return Confinement(why="needs Linux")
    why = ""
    for user in (False, True):
        confinement = Confinement(active=True, user=user)
        with run_folders() as folders:
            program = start_program(["/bin/true"], {}, folders, confinement)
            try:
                for _ in range(_TRIES):  # the first answer may be that it has started
                    if program.wait_for_end(1) is not None:
                        return confinement
                why = why or "a confined program that does nothing did not end"
            except (StartRefused, ConnectionError) as refusal:
                why = why or str(refusal)
            finally:
                program.end_all()
    return Confinement(why=why)
