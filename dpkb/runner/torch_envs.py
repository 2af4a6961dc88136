"""The environments of --torch and --with: one for each torch and set of packages, installed by uv."""

from __future__ import annotations

import os
import re
import shutil
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from dpkb import files
from dpkb.errors import UnmetNeed, UnusableTorch, UsageError
from dpkb.paths import find_cache_folder
from dpkb.runner.processes import run_helper
from dpkb.runner.stop_signals import stop_on_signals

# From this torch on, there are wheels for these Pythons; the first that is installed here is used.
_PYTHONS = (
    ("1.8", ("3.8", "3.9")),
    ("1.11", ("3.10", "3.9", "3.8")),
    ("2.0", ("3.11", "3.10", "3.9", "3.8")),
    ("2.5", ("3.11", "3.12", "3.10", "3.9")),
    ("2.9", ("3.11", "3.12", "3.13", "3.10")),
)
# torch before 2.3 was built against numpy 1 and fails with numpy 2.
_NUMPY_2_FROM = (2, 3)
# A file in each environment whose installation has ended.
_COMPLETE = "complete"
_VERSION = re.compile(r"\d{1,4}\.\d{1,4}(\.\d{1,4})?", re.ASCII)


def ensure_torch_python(
    version: str,
    note: Callable[[str], None],
    packages: Sequence[str] = (),
    stop: threading.Event | None = None,
) -> str:
    """The interpreter of the environment for this torch and packages, which is installed if there is none.

    note: takes a line of progress. Ctrl-C and `stop` end the installation. Raises UnusableTorch if that fails, UnmetNeed
    without uv, UsageError and Stopped.
    """
    if not _VERSION.fullmatch(version):
        raise UsageError(f"--torch {version}: must be a version, such as 2.4 or 2.4.1")
    cache = find_cache_folder()
    if cache is None:
        raise UsageError("there is no home folder for environments; choose a folder: DPKB_CACHE_DIR=DIR")
    folder = cache / "environments" / "+".join((f"torch-{version}", *packages))
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if not _is_complete(folder):
        with stop_on_signals(stop) as stop, files.exclusive_lock(folder.parent, stop):
            if not _is_complete(folder):
                _install(version, packages, folder, python, note, stop)
    return str(python)


def _is_complete(folder: Path) -> bool:
    return (folder / _COMPLETE).exists()


def _install(
    version: str,
    more: Sequence[str],
    folder: Path,
    python: Path,
    note: Callable[[str], None],
    stop: threading.Event,
) -> None:
    uv = shutil.which("uv")
    if uv is None:
        raise UnmetNeed(
            f"{'--with' if more else '--torch'} needs uv to install the environment: pip install uv. "
            f"Or name an interpreter that has {'these packages' if more else 'this torch'}: --python PATH"
        )
    if folder.exists():
        shutil.rmtree(folder)  # incomplete: a dpkb that was killed left it
    wanted = " with ".join(filter(None, (f"torch {version}", ", ".join(more))))
    note(f"installing an environment for {wanted} in {folder}; the first time, uv downloads several GB")
    exact = version if version.count(".") == 2 else f"{version}.*"
    numpy = "numpy<2" if _parse_major_minor(version) < _NUMPY_2_FROM else "numpy"
    # setuptools: torch before 2.0 imports distutils through it.
    packages = [
        f"torch=={exact}",
        "torchvision",
        numpy,
        "opencv-python-headless",
        "psutil",
        "setuptools<81",
        *more,
    ]
    try:
        for command in (
            ["venv", "--quiet", "--python", _choose_base_python(version), str(folder)],
            ["pip", "install", "--quiet", "--compile-bytecode", "--python", str(python), *packages],
        ):
            code, text = run_helper([uv, *command], seconds=3600, errors=True, stop=stop)
            if code:
                raise UnusableTorch(
                    f"{wanted} could not be installed: {find_reason(text)}. "
                    "Check the version, the network and the disk, then run this again."
                )
        (folder / _COMPLETE).touch()
    finally:
        if not _is_complete(folder):
            shutil.rmtree(folder, ignore_errors=True)


def _choose_base_python(version: str) -> str:
    """A Python that this torch has wheels for: an installed one, otherwise a version for uv to download."""
    wanted = next(
        pythons
        for first, pythons in reversed(_PYTHONS)
        if _parse_major_minor(version) >= _parse_major_minor(first) or first == _PYTHONS[0][0]
    )
    return next((python for minor in wanted if (python := find_installed_python(minor))), wanted[0])


def find_installed_python(minor: str) -> str | None:
    """An installed Python of this version ("3.8"); None without one."""
    # pyenv puts only the versions in use on the PATH, and uv does not look for its other versions.
    root = os.environ.get("PYENV_ROOT") or os.path.expanduser("~/.pyenv")
    folders = [
        *map(str, sorted(Path(root, "versions").glob(f"{minor}.*/bin"))),
        os.path.dirname(sys.executable),
    ]
    return shutil.which(f"python{minor}", path=os.pathsep.join([*folders, os.environ.get("PATH", "")]))


def _parse_major_minor(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")[:2]))


def find_reason(text: str) -> str:
    """The reason of a failure, from uv's messages."""
    lines = [line.strip(" ╰─▶│├×") for line in text.splitlines()]
    reasons = [line for line in lines if line and "No solution found" not in line and "hint" not in line]
    return " ".join(reasons)[:300].rstrip(".") or "uv gives no reason"
