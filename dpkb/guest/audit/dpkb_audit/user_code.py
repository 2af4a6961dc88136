"""The lines of the user's code from which torch was called."""

from __future__ import annotations

import functools
import sys
import sysconfig
import types
from collections.abc import Iterator

from dpkb_audit.system import os

# The folder of dpkb itself.
_DPKB_FOLDER = os.path.abspath(os.path.join(__file__, *[os.pardir] * 4))


@functools.lru_cache(maxsize=None)
def _library_folders() -> tuple[str, ...]:
    folders = {
        sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib", "purelib", "platlib", "scripts")
    }
    folders.add(_DPKB_FOLDER)
    torch = sys.modules.get("torch")
    if torch is not None and getattr(torch, "__file__", None):
        folders.add(os.path.dirname(os.path.abspath(str(torch.__file__))))
    # A module may have been imported through a link, so each path is compared with and without links.
    paths = {os.path.join(path, "") for folder in folders for path in (folder, os.path.realpath(folder))}
    return tuple(sorted(paths))


@functools.lru_cache(maxsize=4096)
def is_library(filename: str) -> bool:
    """Whether a file belongs to Python, torch or an installed package."""
    if filename.startswith("<") and not filename.startswith(("<ipython", "<stdin", "<string")):
        return True
    path = os.path.abspath(filename)
    return (
        path.startswith(_library_folders())
        or f"{os.sep}site-packages{os.sep}" in path
        or f"{os.sep}dist-packages{os.sep}" in path
    )


def find_user_line() -> tuple[str, int] | None:
    """File and line of the innermost call in the user's code; None if there is none."""
    frame = _skip_library(sys._getframe(1))
    return (_absolute(frame.f_code.co_filename), frame.f_lineno) if frame else None


@functools.lru_cache(maxsize=1024)
def _absolute(filename: str) -> str:
    """The absolute path of a file. The cache keeps it correct when the working directory changes later."""
    return os.path.abspath(filename)


def find_caller_file() -> str:
    """The file of the code that called the audited function: the innermost frame outside of dpkb."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_DPKB_FOLDER):
        frame = frame.f_back
    return frame.f_code.co_filename if frame is not None else ""


def find_user_frames() -> Iterator[types.FrameType]:
    """The frames of the user's code, the innermost first."""
    frame = _skip_library(sys._getframe(1))
    while frame is not None:
        yield frame
        frame = _skip_library(frame.f_back)


def _skip_library(frame: types.FrameType | None) -> types.FrameType | None:
    """The first frame of the user's code, from this one outwards."""
    while frame is not None and is_library(frame.f_code.co_filename):
        frame = frame.f_back
    return frame
