"""Files of dpkb's own, written so that no reader and no crash ever sees or leaves half of one."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

# A temporary file this old was left by a process that was killed: none writes for so long.
_ABANDONED = 3600.0


@contextlib.contextmanager
def replaced(path: Path) -> Iterator[Path]:
    """A temporary file beside `path` that takes its place in one step when the block has ended well.

    Raises OSError, and leaves what stood there before, where it cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_abandoned(path)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        _to_disk(temporary)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def write(path: Path, text: str) -> None:
    """Write a text file in one step, readable by all. Raises OSError."""
    with replaced(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")
        temporary.chmod(0o644)


@contextlib.contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Keeps other processes that say the same of this folder out: for reading, changing and writing.

    Where the system has no such lock (Windows, some network drives) it goes without.
    """
    folder.mkdir(parents=True, exist_ok=True)
    try:
        import fcntl
    except ImportError:
        yield
        return
    # The folder itself is the lock: no file to be left behind, and a killed process lets go of it.
    handle = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _to_disk(path: Path) -> None:
    """Before the name is taken over: else a machine that loses power may keep the name without the text."""
    handle = os.open(path, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _remove_abandoned(path: Path) -> None:
    for left in path.parent.glob(f".{path.name}.*.tmp"):
        with contextlib.suppress(OSError):
            if time.time() - left.stat().st_mtime > _ABANDONED:
                left.unlink()
