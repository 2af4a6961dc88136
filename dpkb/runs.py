"""The records of runs: where a script ran, how its process ended, what was seen, and the verdict. No I/O."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from dpkb.model import Outcome


class Verdict(str, Enum):
    """One outcome held against the claim of its script."""

    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    INCONCLUSIVE = "inconclusive"
    SKIPPED = "skipped"


@dataclass(frozen=True)
class ProcessEnd:
    """How one process ended: its exit code, or the signal, or the runner's own limit."""

    code: int | None
    signal: int | None = None
    limit: str | None = None
    seconds: float = 0.0


@dataclass(frozen=True)
class Judgement:
    """A verdict with what was expected and what was seen, in words."""

    verdict: Verdict
    expected: str
    seen: str
    affected: bool = True


@dataclass(frozen=True)
class Result:
    """One run of one script: what it was to show, what it showed, and the verdict."""

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


@dataclass(frozen=True)
class TorchEnvironment:
    """An environment that --torch installed: its version as it was asked for, its folder, its bytes."""

    version: str
    folder: Path
    size: int


@dataclass(frozen=True)
class Environment:
    """The interpreter that runs the scripts, and what is installed beside it."""

    executable: str
    python: str
    torch: str | None
    torchvision: str | None
    os: str
    device: str
    # Whether torch's compiled bytecode is kept beside it, or will be by the first run.
    keeps_bytecode: bool = True
    # Whether it is there already.
    has_bytecode: bool = True
    # The folder into which `pip install --user` puts packages for it.
    user_base: str | None = None

    @property
    def versions(self) -> dict[str, str | None]:
        return {"python": self.python, "torch": self.torch, "torchvision": self.torchvision}
