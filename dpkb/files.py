"""Writes dpkb's own files so that a crash leaves no half file; reads others' without hanging on them."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from dpkb.errors import DpkbError, Stopped
from dpkb.paths import state_folder

# A temporary file this old was left by a process that was killed: none writes for that long.
_ABANDONED = 3600.0
# How long a process waits for another one that writes in the same folder.
LOCK_SECONDS = 60.0


def read_bytes(path: Path, max_bytes: int) -> bytes:
    """Read a regular file of at most `max_bytes`. Raises OSError, whose strerror says why."""
    with open_regular(path) as file:
        data = file.read(max_bytes + 1)
    if len(data) > max_bytes:
        raise OSError(errno.EFBIG, f"larger than {max_bytes:,} bytes", str(path))
    return data


def open_regular(path: Path) -> BinaryIO:
    """A regular file, to be read. Raises OSError: a named pipe would be waited for, a device never ends."""
    file = open(path, "rb", opener=_without_waiting)  # noqa: SIM115
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    return file


def read_text(path: Path, max_bytes: int) -> str:
    """Read a text file in UTF-8 of at most `max_bytes`, its lines ended by newlines. Raises DpkbError."""
    try:
        read = read_bytes(path, max_bytes).decode("utf-8")
    except UnicodeDecodeError as error:
        raise DpkbError(f"not UTF-8 at byte {error.start}") from None
    except OSError as error:
        raise DpkbError(f"cannot be read: {error.strerror}") from None
    return read.replace("\r\n", "\n").replace("\r", "\n")


def leads_out(path: Path, folder: Path) -> bool:
    """Whether links lead from a path to a place outside of this folder (itself no link), or nowhere."""
    try:
        return not path.resolve(strict=True).is_relative_to(folder)
    except (OSError, RuntimeError):  # RuntimeError: a link to itself
        return path.is_symlink()


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


@contextlib.contextmanager
def replace_file(path: Path) -> Iterator[Path]:
    """A temporary file that takes the place of `path` in one step when the block has ended well.

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


def require_writable(path: Path) -> None:
    """Raise OSError if a file cannot be written there. Makes its folder, and leaves nothing else."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if target.is_symlink():  # to itself
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    if target.exists():
        if not os.access(target, os.W_OK):
            raise OSError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return
    require_writable_folder(target.parent)


def require_writable_folder(folder: Path) -> None:
    """Raise OSError if no file can be written in a folder, which is made if it is not there."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(folder)) from None


def write(path: Path, text: str) -> None:
    """Write a text file in one step, readable by all. Raises OSError."""
    with replace_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")
        temporary.chmod(0o644)


@contextlib.contextmanager
def exclusive_lock(folder: Path, stop: threading.Event | None = None) -> Iterator[None]:
    """Keep other processes of this user that ask for the same folder out while the block runs.

    Waits for them for a minute, then raises OSError; with `stop` until that is set, then raises Stopped.
    Nothing is locked without a home folder that can be written, or where the system has no such lock
    (Windows, some network drives).
    """
    folder.mkdir(parents=True, exist_ok=True)
    file = _lock_file(folder)
    if file is None:
        yield
        return
    deadline = time.monotonic() + LOCK_SECONDS
    while True:
        with try_lock(file) as locked:
            if locked:
                yield
                return
        if stop and stop.is_set():
            raise Stopped
        if not stop and time.monotonic() > deadline:
            raise OSError(errno.EAGAIN, "another dpkb is still writing there", str(folder))
        time.sleep(0.05)


def _lock_file(folder: Path) -> Path | None:
    """The file that is locked for a folder. Whoever may read the folder could keep that locked."""
    state = state_folder()
    if state is None:
        return None
    file = state / "locks" / hashlib.sha256(os.fsencode(folder.resolve())).hexdigest()[:32]
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file.touch(mode=0o600)
    except OSError:
        return None
    return file


@contextlib.contextmanager
def try_lock(path: Path) -> Iterator[bool]:
    """Lock a file or folder while the block runs, unless another process has locked it: then False.

    True where the system has no such lock. Raises OSError if the path cannot be opened.
    """
    try:
        import fcntl
    except ImportError:
        yield True
        return
    # The lock belongs to the open file: a process that is killed lets go of it.
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        locked = True
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            locked = False
        except OSError:  # no locks on this file system
            pass
        yield locked
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
