"""Finds the Python files and notebooks below a folder."""

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from dpkb.errors import DpkbError

_SUFFIXES = (".py", ".ipynb")
_SKIPPED_FOLDERS = {"__pycache__", "node_modules", "site-packages", "build", "dist"}
# A folder that has one of these is a Python environment: of venv, or of conda.
_ENVIRONMENT_MARKS = ("pyvenv.cfg", "conda-meta")


def find_files(
    paths: Iterable[Path],
    unreadable: dict[str, str] | None = None,
    is_allowed: Callable[[Path], bool] = lambda path: True,
) -> Iterator[Path]:
    """The Python files and notebooks below these paths; a file that is named is always taken.

    unreadable: gets each folder that cannot be read, with the reason. is_allowed: says whether a folder or
    a file that was not named may be read.
    """

    def on_error(error: OSError) -> None:
        if unreadable is not None:
            unreadable[str(error.filename)] = f"cannot be read: {error.strerror}"

    for path in paths:
        try:
            is_folder = stat.S_ISDIR(path.stat().st_mode)
        except (FileNotFoundError, NotADirectoryError):
            hint = "; write /dev/stdin to lint standard input" if str(path) == "-" else ""
            raise DpkbError(f"{path}: there is no such file or folder{hint}") from None
        except OSError as error:  # for example, it is in a folder that must not be entered
            raise DpkbError(f"{path}: cannot be read: {error.strerror}") from None
        if is_folder:
            yield from _files_below(path, on_error, is_allowed)
        else:
            yield path


def _files_below(
    path: Path, on_error: Callable[[OSError], None], is_allowed: Callable[[Path], bool]
) -> Iterator[Path]:
    seen: set[tuple[int, int]] = set()
    for folder, folders, names in os.walk(path, onerror=on_error, followlinks=True):
        try:
            status = os.stat(folder)
        except OSError as error:  # it has been removed since it was listed
            on_error(error)
            folders.clear()
            continue
        if (status.st_dev, status.st_ino) in seen:  # reached again through a link
            folders.clear()
            continue
        seen.add((status.st_dev, status.st_ino))
        folders[:] = sorted(
            name for name in folders if not _is_skipped(Path(folder, name)) and is_allowed(Path(folder, name))
        )
        for name in sorted(names):
            file = Path(folder, name)
            if name.endswith(_SUFFIXES) and file.is_file() and is_allowed(file):
                yield file


def _is_skipped(folder: Path) -> bool:
    """Whether a folder is hidden, has copies of code only, or is a Python environment."""
    return (
        folder.name.startswith(".")
        or folder.name in _SKIPPED_FOLDERS
        or any(os.path.exists(folder / mark) for mark in _ENVIRONMENT_MARKS)
    )
