"""Which Python runs the scripts, and which torch, torchvision and device it has."""

from __future__ import annotations

import json
import os
import shutil
import sys
import threading
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from pathlib import Path

from dpkb.errors import UnmetNeed, UnusableTorch, UsageError
from dpkb.model import parse_release
from dpkb.paths import GUEST
from dpkb.run_records import Environment
from dpkb.runner.processes import run_helper
from dpkb.runner.torch_envs import ensure_torch_python

# -I: Python imports no file of the current folder, whatever its name.
_PROBE = ["-I", str(GUEST / "probe.py")]


def probe(
    python: str | None,
    device: str = "auto",
    stop: threading.Event | None = None,
    pinned: Collection[str] = (),
) -> Environment:
    """The environment of `python`; by default of the first with torch: that of dpkb, the active one, the PATH's.

    device: auto, cpu or cuda. pinned: the distributions whose versions the user chose. Raises UsageError if it is not
    Python, or if device is cuda and it sees no GPU; Stopped when `stop` is set.
    """
    executable = find_interpreter(python)
    code, text = run_helper([executable, *_PROBE, *(["gpu"] if _may_have_gpu(device) else [])], stop=stop)
    try:
        answer = json.loads(text.strip().splitlines()[-1]) if code == 0 else None
    except (ValueError, IndexError):
        answer = None
    if answer is None:
        raise UsageError(
            f"{executable} is not a working Python (exit code {code}); name another: --python PATH"
        )
    if not (python or answer["torch"]) and (other := _find_other_python_with_torch(executable)):
        return probe(other, device, stop, pinned)
    if device == "cuda" and not answer["device"].startswith("cuda"):
        raise UsageError(
            f"--device cuda: torch {answer['torch']} of {executable} sees no GPU; "
            "use --device cpu or --device auto"
        )
    if Path(executable).parent.name == "shims":
        # Tools such as pyenv find the real interpreter by the home folder, but scripts have a private one.
        executable = answer["executable"]
    packages = {name: version for name, version in answer["installed"].items() if name in pinned}
    return Environment(**{**answer, "executable": executable, "packages": packages})


@lru_cache(maxsize=64)
def has_package(executable: str, name: str) -> bool:
    """Whether an interpreter finds a package, without importing it."""
    return run_helper([executable, *_PROBE, "has", name])[0] == 0


def find_interpreter(python: str | None) -> str:
    """The path of the Python that the user named, or of this Python. Raises UsageError if there is none."""
    if python is None:
        return sys.executable
    path = shutil.which(os.path.expanduser(python))
    if path is None:
        raise UsageError(
            f"--python {python}: there is no such program; "
            "give the path of a Python, such as ~/env/bin/python"
        )
    # Links stay: the python of a virtual environment is a link, and its target knows no packages.
    return os.path.abspath(path)


def find_interpreters(
    python: str | None, versions: list[str], note: Callable[[str], None], packages: Sequence[str] = ()
) -> list[str | None]:
    """The interpreters to run with: one for each version of torch, or `python`; None means this Python.

    packages: what to install beside torch; then, without a version, the torch is that of this Python.
    note: takes a line of progress. Raises UsageError and UnmetNeed.
    """
    if python and (versions or packages):
        option, what = ("--torch", "torch") if versions else ("--with", "packages")
        raise UsageError(f"--python and {option} both choose the {what}: use one of them")
    if packages and not versions:
        here = parse_release(probe(None, "cpu").torch or "")
        if here is None:
            raise UnmetNeed(
                "--with: this Python has no torch, so choose one for the environment: --torch 2.9"
            )
        versions = [str(here)]
    return [ensure_torch_python(version, note, packages) for version in versions] or [python]


def require_torch(environment: Environment) -> None:
    """Raise UnusableTorch if there is no torch. It says what to install or which Python to use."""
    if environment.torch is not None:
        return
    python = environment.executable
    raise UnusableTorch(
        f"torch is not installed for {python}. Install it ({python} -m pip install torch "
        "torchvision), or use a Python that has it: --python "
        f"{_find_other_python_with_torch(python) or 'PATH'}"
    )


def _find_other_python_with_torch(executable: str) -> str | None:
    candidates = [
        *(
            str(Path(os.environ[name], "bin", "python"))
            for name in ("VIRTUAL_ENV", "CONDA_PREFIX")
            if os.environ.get(name)
        ),
        *(shutil.which(name) for name in ("python", "python3")),
    ]
    # A relative path would run a program of the current folder.
    others = (path for path in candidates if path and path != executable and os.path.isabs(path))
    return next((path for path in others if has_package(path, "torch")), None)


def _may_have_gpu(device: str) -> bool:
    return device == "cuda" or (
        device != "cpu" and (Path("/dev/nvidiactl").exists() or shutil.which("nvidia-smi") is not None)
    )
