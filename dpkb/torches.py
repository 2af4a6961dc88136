"""Isolated environments, one for each torch version: made by uv, kept in the cache folder."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from dpkb.errors import MissingTool, UsageError
from dpkb.paths import cache_folder
from dpkb.process import capture

# Every minor release since the oldest that the catalogue speaks of.
MINORS = (*(f"1.{minor}" for minor in range(8, 14)), *(f"2.{minor}" for minor in range(16)))
# From this torch on, these Pythons have wheels; the first that is found is taken.
_PYTHONS = (
    ("1.8", ("3.8", "3.9")), ("1.11", ("3.10", "3.9", "3.8")), ("2.0", ("3.11", "3.10", "3.9", "3.8")),
    ("2.5", ("3.11", "3.12", "3.10", "3.9")), ("2.9", ("3.11", "3.12", "3.13", "3.10")),
)
# torch before 2.3 was built against numpy 1 and fails with numpy 2.
_NUMPY_2_FROM = "2.3"
_VERSION = re.compile(r"\d+\.\d+(\.\d+)?")


@dataclass(frozen=True)
class Made:
    """One environment: the torch version it was made for, where it is, and its size in bytes."""

    version: str
    folder: Path
    size: int


def python_with(version: str, say: Callable[[str], None]) -> str:
    """The interpreter of the environment for this torch, made now where there is none.

    Raises UsageError where this torch cannot be had here, MissingTool without uv.
    """
    if not _VERSION.fullmatch(version):
        raise UsageError(f"--torch {version}: write a version, as in 2.4 or 2.4.1")
    folder = _environments() / f"torch-{version}"
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if not (folder / "complete").exists():
        _make(version, folder, python, say)
    return str(python)


@dataclass(frozen=True)
class Change:
    """Between which two versions an outcome changed (None: it did not), and the runs that showed it."""

    runs: list[tuple[str, str]]
    before: str | None = None
    after: str | None = None


def bisect(outcome: Callable[[str], str], first: str | None = None, last: str | None = None) -> Change:
    """Find the minor release in which an outcome changed, from the first to the last of MINORS.

    Takes it that there is one change: between two outcomes that are alike nothing is looked for.
    Raises UsageError for a version that is no minor release.
    """
    for version in (first, last):
        if version is not None and version not in MINORS:
            raise UsageError(f"{version} is no minor release of torch from {MINORS[0]} to {MINORS[-1]}")
    low, high = MINORS.index(first or MINORS[0]), MINORS.index(last or MINORS[-1])
    seen = {index: outcome(MINORS[index]) for index in dict.fromkeys((low, high))}
    while seen[low] != seen[high] and high - low > 1:
        middle = (low + high) // 2
        seen[middle] = outcome(MINORS[middle])
        # An outcome like neither end's is a change of its own: the first change is the one looked for.
        low, high = (middle, high) if seen[middle] == seen[low] else (low, middle)
    runs = [(MINORS[index], seen[index]) for index in sorted(seen)]
    if seen[low] == seen[high]:
        return Change(runs)
    return Change(runs, MINORS[low], MINORS[high])


def in_words(change: Change, what: str) -> str:
    """What a bisection came to, with the runs it made."""
    lines = [f"torch {version}: {outcome}" for version, outcome in change.runs]
    outcomes = dict(change.runs)
    if change.after is None:
        lines.append(f"{what}: the same at both ends; nothing between them was run")
    else:
        lines.append(f"{what}: {outcomes[change.before]} up to torch {change.before}, "
                     f"{outcomes[change.after]} from torch {change.after} on")
    return "\n".join(lines)


def made() -> list[Made]:
    """The environments there are, oldest torch first."""
    found = [path for path in _environments().glob("torch-*") if (path / "complete").exists()]
    rows = [Made(path.name.removeprefix("torch-"), path, _size(path)) for path in found]
    return sorted(rows, key=lambda row: _key(row.version))


def remove(version: str) -> int:
    """Remove one environment; how many bytes that freed. Raises UsageError where there is none."""
    for row in made():
        if row.version == version:
            # The mark first: what is half removed is not complete.
            (row.folder / "complete").unlink()
            shutil.rmtree(row.folder)
            return row.size
    known = ", ".join(row.version for row in made()) or "none"
    raise UsageError(f"no environment for torch {version}; there is {known}")


def _environments() -> Path:
    cache = cache_folder()
    if cache is None:
        raise UsageError("there is no home folder to keep environments in: set DPKB_CACHE_DIR")
    return cache / "environments"


def _make(version: str, folder: Path, python: Path, say: Callable[[str], None]) -> None:
    uv = shutil.which("uv")
    if uv is None:
        raise MissingTool("--torch needs uv to make the environment: pip install uv. "
                          "Or name an interpreter that has this torch: --python PATH")
    if folder.exists():
        shutil.rmtree(folder)  # left half made
    say(f"making an environment for torch {version} in {folder}; some GB are fetched the first time")
    base = _base_python(version)
    code, told = capture([uv, "venv", "--quiet", "--python", base, str(folder)], seconds=600, errors=True)
    if code == 0:
        code, told = capture([uv, "pip", "install", "--quiet", "--compile-bytecode", "--python", str(python),
                              *_requirements(version)], seconds=3600, errors=True)
    if code:
        shutil.rmtree(folder, ignore_errors=True)
        raise UsageError(f"torch {version} cannot be had here: {_reason(told)}")
    (folder / "complete").touch()


def _requirements(version: str) -> list[str]:
    exact = version if version.count(".") == 2 else f"{version}.*"
    numpy = "numpy<2" if _key(version) < _key(_NUMPY_2_FROM) else "numpy"
    # setuptools: torch before 2.0 imports distutils through it.
    return [f"torch=={exact}", "torchvision", numpy, "opencv-python-headless", "psutil", "setuptools<81"]


def _base_python(version: str) -> str:
    """A Python that this torch has wheels for: one that is found here, else a number for uv to get."""
    wanted = next(pythons for first, pythons in reversed(_PYTHONS) if _key(version) >= _key(first)
                  or first == _PYTHONS[0][0])
    for minor in wanted:
        for candidate in _candidates(minor):
            if capture([candidate, "-c", "import venv"], seconds=20)[0] == 0:
                return candidate
    return wanted[0]


def _candidates(minor: str) -> list[str]:
    pyenv = Path(os.environ.get("PYENV_ROOT") or os.path.expanduser("~/.pyenv"), "versions")
    found = [shutil.which(f"python{minor}"), *map(str, sorted(pyenv.glob(f"{minor}.*/bin/python")))]
    if sys.version_info[:2] == tuple(map(int, minor.split("."))):
        found.append(sys.executable)
    return [candidate for candidate in found if candidate]


def _key(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")[:2]))


def _reason(told: str) -> str:
    """The one line of uv's explanation that says why."""
    lines = [line.strip(" ╰─▶│├×") for line in told.splitlines()]
    because = [line for line in lines if line and "No solution found" not in line and "hint" not in line]
    return " ".join(because)[:300] or "uv does not say why"


def _size(folder: Path) -> int:
    total = 0
    for path, _, files in os.walk(folder):
        for name in files:
            try:
                total += os.lstat(os.path.join(path, name)).st_size
            except OSError:
                continue
    return total
