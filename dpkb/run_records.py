"""The records of one run of a script or a command: its environment, its end, the result and the verdict."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # `dpkb run` must start fast, and the model takes time to import
    from dpkb.model import Outcome


class Verdict(str, Enum):
    """Whether the outcome of a run agrees with the claim of its script."""

    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    INCONCLUSIVE = "inconclusive"
    SKIPPED = "skipped"


class Limit(str, Enum):
    """What dpkb limits for a script. It stops a script that needs more."""

    TIME = "time"
    OUTPUT = "output"
    MEMORY = "memory"
    PROCESSES = "processes"
    DISK = "disk"
    FILES = "files"


@dataclass(frozen=True)
class ExceededLimit:
    """A limit that a script has exceeded, and in words by how much."""

    limit: Limit
    words: str


class Missing(str, Enum):
    """What a skipped script needs and does not have."""

    PACKAGE = "package"
    GPU = "gpu"
    ROOT = "root"
    LINUX = "linux"
    TORCH_VERSION = "torch version"
    OTHER = "other"


@dataclass(frozen=True)
class MissingNeed:
    """What a script needs and does not have, and the same in words."""

    missing: Missing
    words: str


@dataclass(frozen=True)
class ProcessEnd:
    """How one process ended: by an exit code, by a signal, or by dpkb, at a limit.

    error: why dpkb could not start it, or lost it.
    """

    code: int | None
    signal: int | None = None
    exceeded: ExceededLimit | None = None
    seconds: float = 0.0
    error: str = ""


@dataclass(frozen=True)
class CommandEnd:
    """How a command ended: its exit code (-n: by signal n), its output, and whether it stalled."""

    code: int
    output: list[bytes]
    stalled: bool
    # Whether dpkb ended it because should_end() was true, and it did not end by itself.
    on_request: bool = False


@dataclass(frozen=True)
class Judgement:
    """A verdict, with the expected and the seen outcome in words. affected: the versions are in the range."""

    verdict: Verdict
    expected: str
    seen: str
    affected: bool = True


@dataclass(frozen=True, kw_only=True)
class RunResult:
    """One run of one script: its claim, the expected and the seen outcome, and the verdict.

    id: the entry; limit: the one at which dpkb stopped the script, if it did; missing: what a skipped script
    needs.
    """

    id: str
    script: str
    claim: str
    outcome: Outcome
    verdict: Verdict
    expected: str
    seen: str
    affected: bool
    observed: dict[str, Any] | None
    seconds: float
    log: str = ""
    limit: Limit | None = None
    missing: Missing | None = None
    # The versions of the packages that the script's `Needs:` line names.
    packages: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Environment:
    """The interpreter that runs the scripts, and what is installed beside it."""

    executable: str
    python: str
    torch: str | None
    torchvision: str | None
    os: str
    device: str
    # Whether Python may write torch's compiled bytecode beside it, and whether that bytecode exists already.
    keeps_bytecode: bool = True
    has_bytecode: bool = True
    # The folder into which `pip install --user` puts packages for it.
    user_base: str | None = None
    # The version of each installed distribution, and of those that --with chose.
    installed: dict[str, str] = field(default_factory=dict)
    packages: dict[str, str] = field(default_factory=dict)

    @property
    def versions(self) -> dict[str, str | None]:
        own = {"python": self.python, "torch": self.torch, "torchvision": self.torchvision}
        return {**self.installed, **own}
