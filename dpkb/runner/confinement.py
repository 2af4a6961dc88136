"""How scripts can be confined on this machine."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from functools import lru_cache

from dpkb.model import Needs
from dpkb.paths import GUEST
from dpkb.runner.processes import capture

_KEPT_FROM = {"files": "changing your files", "processes": "signalling your processes",
              "network": "reaching the network"}


@dataclass(frozen=True)
class Confinement:
    """The namespaces of a script (see guest/confine.py), and why there are no more.

    user: inside a user namespace.
    """

    user: bool = False
    namespaces: tuple[str, ...] = ()
    why: str = ""

    @property
    def gaps(self) -> str | None:
        """What a script could still do, in words; None if it is fully confined."""
        open_to = [text for name, text in _KEPT_FROM.items() if name not in self.namespaces]
        if not open_to:
            return None
        return f"nothing keeps a script from {' or '.join(open_to)} here: {self.why}; see SECURITY.md"

    def unmet(self, needs: Needs) -> str | None:
        """Which limit that a script asks for cannot be set around it here, in words."""
        if needs.open_files is not None and os.name != "posix":
            return f"a limit of {needs.open_files} open files cannot be set here"
        if needs.shm_mb is not None and "files" not in self.namespaces:
            return (f"a private /dev/shm of {needs.shm_mb} MB needs Linux and the right to mount: "
                    f"root, or unprivileged user namespaces ({self.why})")
        return None


@lru_cache(maxsize=1)
def strictest_confinement() -> Confinement:
    """The strictest confinement that this machine allows, found by trying."""
    if sys.platform != "linux":
        return Confinement(why="needs Linux")
    code, text = capture([sys.executable, "-I", "-S", str(GUEST / "confine.py")], seconds=30)
    try:
        allowed = json.loads(text) if code == 0 else {}
        return Confinement(allowed["user"], tuple(allowed["namespaces"]), allowed["why"])
    except (ValueError, KeyError):
        return Confinement(why="the trial of namespaces failed")
