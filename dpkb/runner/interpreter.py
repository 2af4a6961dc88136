"""Which Python runs the scripts, and which torch, torchvision and device it has."""

from __future__ import annotations

import json
import os
import shutil
import sys
import threading
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from dpkb.errors import UnmetNeed, UsageError
from dpkb.paths import GUEST
from dpkb.runner.processes import capture
from dpkb.runner.torch_envs import ensure_torch_python
from dpkb.runs import Environment

# -I: no file of the current folder is imported, whatever it is called.
_PROBE = ["-I", str(GUEST / "probe.py")]


def probe(python: str | None, device: str = "auto", stop: threading.Event | None = None) -> Environment:
    """What `python` (default: the one that runs dpkb) has. device: auto, cpu or cuda.

    Raises UsageError if it is not Python, or device is cuda and it sees no GPU; Stopped when `stop` is set.
    """
    executable = interpreter(python)
    code, text = capture([executable, *_PROBE, *(["gpu"] if _may_have_gpu(device) else [])], stop=stop)
    try:
        answer = json.loads(text.strip().splitlines()[-1]) if code == 0 else None
    except (ValueError, IndexError):
        answer = None
    if answer is None:
        raise UsageError(f"{executable} does not answer as a Python interpreter does (exit code {code})")
    if device == "cuda" and not answer["device"].startswith("cuda"):
        raise UsageError(
            f"--device cuda: torch {answer['torch']} of {executable} sees no GPU; "
            "use --device cpu, or auto"
        )
    if Path(executable).parent.name == "shims":
        # pyenv and its like find the real interpreter by the home folder, and scripts have their own.
        executable = answer["executable"]
    return Environment(**{**answer, "executable": executable})


def versions_here() -> dict[str, str | None]:
    """The versions beside this Python, else beside the first on the PATH that has torch."""
    here = probe(None, "cpu")
    other = None if here.torch else _other_with_torch(here.executable)
    return probe(other, "cpu").versions if other else here.versions


@lru_cache(maxsize=64)
def has_package(executable: str, name: str) -> bool:
    """Whether an interpreter would find a package. It is not imported."""
    return capture([executable, *_PROBE, "has", name])[0] == 0


def interpreter(python: str | None) -> str:
    """The path of the interpreter that was asked for. Raises UsageError if there is none."""
    if python is None:
        return sys.executable
    path = shutil.which(os.path.expanduser(python))
    if path is None:
        raise UsageError(f"--python {python}: no such interpreter")
    # Not resolved: the python of a virtual environment is a link that must not be followed.
    return os.path.abspath(path)


def interpreters(python: str | None, versions: list[str], note: Callable[[str], None]) -> list[str | None]:
    """The interpreters to run with, one for each torch that was asked for. Raises UsageError, UnmetNeed."""
    if python and versions:
        raise UsageError("--python and --torch both say which torch; give one of them")
    return [ensure_torch_python(version, note) for version in versions] or [python]


def require_torch(environment: Environment) -> None:
    """Raise UnmetNeed, saying what to install or which other interpreter to use, if there is no torch."""
    if environment.torch is not None:
        return
    lines = [
        f"torch is not installed for {environment.executable}, and the scripts need it. Either",
        f"  {environment.executable} -m pip install torch torchvision",
        "or name an interpreter that has it (dpkb need not be installed there):",
        f"  --python {_other_with_torch(environment.executable) or 'PATH'}",
    ]
    raise UnmetNeed("\n".join(lines))


def _other_with_torch(executable: str) -> str | None:
    candidates = [
        *(str(Path(os.environ[name], "bin", "python")) for name in ("VIRTUAL_ENV", "CONDA_PREFIX")
          if os.environ.get(name)),
        *(shutil.which(name) for name in ("python", "python3")),
    ]
    for candidate in candidates:
        # A relative one is a program of the current folder.
        if not candidate or candidate == executable or not os.path.isabs(candidate):
            continue
        if has_package(candidate, "torch"):
            return candidate
    return None


def _may_have_gpu(device: str) -> bool:
    if device == "cpu":
        return False
    return device == "cuda" or Path("/dev/nvidiactl").exists() or shutil.which("nvidia-smi") is not None
