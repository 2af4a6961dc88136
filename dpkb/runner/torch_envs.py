"""The environments of --torch: one for each torch version, installed by uv, in the cache folder."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from dpkb import files
from dpkb.errors import UnmetNeed, UnusableTorch, UsageError
from dpkb.paths import find_cache_folder
from dpkb.run_records import TorchEnvironment
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


def ensure_torch_python(version: str, note: Callable[[str], None]) -> str:
    """The interpreter of the environment for this torch; Ctrl-C ends its installation.

    note: takes a line of progress. Raises UsageError, UnmetNeed and Stopped.
    """
    with stop_on_signals() as stop:
        return install_torch_python(version, note, stop)


def install_torch_python(version: str, note: Callable[[str], None], stop: threading.Event) -> str:
    """Install the environment for this torch if there is none, and return its interpreter.

    Raises UnusableTorch if that fails, UnmetNeed without uv, and Stopped when `stop` is set.
    """
    if not _VERSION.fullmatch(version):
        raise UsageError(f"--torch {version}: must be a version, such as 2.4 or 2.4.1")
    folder = _find_environments_folder() / f"torch-{version}"
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if not _is_complete(folder):
        with files.exclusive_lock(folder.parent, stop):
            if not _is_complete(folder):
                _install(version, folder, python, note, stop)
    return str(python)


def list_environments() -> list[TorchEnvironment]:
    """The environments that are installed completely, oldest torch first."""
    return [
        TorchEnvironment(version, folder, sum(status.st_size for status in _read_file_states(folder)))
        for version, folder in _find_installed_folders().items()
    ]


def remove_environment(version: str) -> int:
    """Remove the environment for this torch and return the bytes that are free again. Raises UsageError."""
    installed = _find_installed_folders()
    if version in installed:
        folder = installed[version]
        # uv's cache has hard links to most files; their bytes stay in use.
        freed = sum(status.st_size for status in _read_file_states(folder) if status.st_nlink == 1)
        # The mark goes first: an environment that is half removed is not complete.
        (folder / _COMPLETE).unlink()
        shutil.rmtree(folder)
        return freed
    if not installed:
        raise UsageError(
            f"there is no environment for torch {version}: none is installed, so there is nothing to remove"
        )
    raise UsageError(
        f"there is no environment for torch {version}; name one of these: "
        f"{', '.join(installed)} (`dpkb env list` shows their sizes)"
    )


def _find_installed_folders() -> dict[str, Path]:
    """The version of each environment that is installed completely -> its folder, oldest torch first."""
    folders = {
        version: path
        for path in _find_environments_folder().glob("torch-*")
        if _VERSION.fullmatch(version := path.name.removeprefix("torch-")) and _is_complete(path)
    }
    return dict(sorted(folders.items(), key=lambda item: _parse_version(item[0])))


def _find_environments_folder() -> Path:
    cache = find_cache_folder()
    if cache is None:
        raise UsageError("there is no home folder for environments; choose a folder: DPKB_CACHE_DIR=DIR")
    return cache / "environments"


def _is_complete(folder: Path) -> bool:
    return (folder / _COMPLETE).exists()


def _install(
    version: str, folder: Path, python: Path, note: Callable[[str], None], stop: threading.Event
) -> None:
    uv = shutil.which("uv")
    if uv is None:
        raise UnmetNeed(
            "--torch needs uv to install the environment: pip install uv. "
            "Or name an interpreter that has this torch: --python PATH"
        )
    if folder.exists():
        shutil.rmtree(folder)  # incomplete: a dpkb that was killed left it
    note(
        f"installing an environment for torch {version} in {folder}; the first time, uv downloads several GB"
    )
    exact = version if version.count(".") == 2 else f"{version}.*"
    numpy = "numpy<2" if _parse_major_minor(version) < _NUMPY_2_FROM else "numpy"
    # setuptools: torch before 2.0 imports distutils through it.
    packages = [f"torch=={exact}", "torchvision", numpy, "opencv-python-headless", "psutil", "setuptools<81"]
    try:
        for command in (
            ["venv", "--quiet", "--python", _choose_base_python(version, stop), str(folder)],
            ["pip", "install", "--quiet", "--compile-bytecode", "--python", str(python), *packages],
        ):
            code, text = run_helper([uv, *command], seconds=3600, errors=True, stop=stop)
            if code:
                raise UnusableTorch(
                    f"torch {version} could not be installed: {find_reason(text)}. "
                    "Check the version, the network and the disk, then run this again."
                )
        (folder / _COMPLETE).touch()
    finally:
        if not _is_complete(folder):
            shutil.rmtree(folder, ignore_errors=True)


def _choose_base_python(version: str, stop: threading.Event) -> str:
    """A Python that this torch has wheels for: an installed one, otherwise a version for uv to download."""
    wanted = next(
        pythons
        for first, pythons in reversed(_PYTHONS)
        if _parse_major_minor(version) >= _parse_major_minor(first) or first == _PYTHONS[0][0]
    )
    return next((python for minor in wanted if (python := find_installed_python(minor, stop))), wanted[0])


def find_installed_python(minor: str, stop: threading.Event | None = None) -> str | None:
    """An installed Python of this version ("3.8") that can create virtual environments; None without one.

    Raises Stopped when `stop` is set.
    """
    for candidate in _find_candidates(minor, stop):
        if run_helper([candidate, "-I", "-c", "import venv"], seconds=20, stop=stop)[0] == 0:
            return candidate
    return None


def _find_candidates(minor: str, stop: threading.Event | None) -> Iterator[str]:
    """The Pythons of this version on this machine; the slow look-ups come last."""
    if on_path := shutil.which(f"python{minor}"):
        yield on_path
    # pyenv puts only the versions in use on the PATH, and uv does not look for its other versions.
    if root := os.environ.get("PYENV_ROOT") or _ask("pyenv", "root", stop=stop):
        yield from map(str, sorted(Path(root, "versions").glob(f"{minor}.*/bin/python")))
    if sys.version_info[:2] == _parse_major_minor(minor):
        yield sys.executable
    if managed := _ask("uv", "python", "find", "--no-python-downloads", minor, stop=stop):
        yield managed


def _ask(program: str, *arguments: str, stop: threading.Event | None) -> str:
    """The output of a program; empty if it is not installed or fails."""
    path = shutil.which(program)
    code, text = run_helper([path, *arguments], stop=stop) if path else (1, "")
    return text.strip() if code == 0 else ""


def _parse_major_minor(version: str) -> tuple[int, ...]:
    return _parse_version(version)[:2]


def _parse_version(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def find_reason(text: str) -> str:
    """The reason of a failure, from uv's messages."""
    lines = [line.strip(" ╰─▶│├×") for line in text.splitlines()]
    reasons = [line for line in lines if line and "No solution found" not in line and "hint" not in line]
    return " ".join(reasons)[:300].rstrip(".") or "uv gives no reason"


def _read_file_states(folder: Path) -> Iterator[os.stat_result]:
    """The size and the number of hard links of each file below a folder."""
    for path, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                yield os.lstat(os.path.join(path, name))
