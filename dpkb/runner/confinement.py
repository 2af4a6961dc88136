"""How far this machine can confine scripts."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from functools import lru_cache

from dpkb.model import Needs
from dpkb.paths import GUEST
from dpkb.run_records import Missing, MissingNeed
from dpkb.runner.processes import run_helper

_OPEN_TO = "changing your files or signalling your processes or reaching the network"


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
    """The confinement that this machine allows. Tries it in a separate process."""
    if sys.platform != "linux":
        return Confinement(why="needs Linux")
    code, text = run_helper([sys.executable, "-I", "-S", str(GUEST / "confine.py")], seconds=30)
    try:
        allowed = json.loads(text) if code == 0 else {}
        return Confinement(allowed["active"], allowed["user"], allowed["why"])
    except (ValueError, KeyError):
        return Confinement(why=f"guest/confine.py failed (exit code {code})")
