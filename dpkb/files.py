"""Reads files with a limit, writes files in one step, and locks folders between processes."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from dpkb.errors import DpkbError, Stopped

# No process writes for this long: an older temporary file was left by a process that was killed.
_ABANDONED_SECONDS = 3600.0
# How long a process waits for another process that writes in the same folder.
LOCK_SECONDS = 60.0


def measure_disk(path: Path) -> tuple[int, int] | tuple[None, None]:
    """The size and the free space of the disk of a file or folder, in bytes; None where unknown."""
    try:
        status = os.statvfs(path)
    except (OSError, AttributeError):  # AttributeError: Windows
        return None, None
    return status.f_blocks * status.f_frsize, status.f_bavail * status.f_frsize


def read_bytes(path: Path, max_bytes: int) -> bytes:
    """The content of a regular file of at most `max_bytes`. Raises OSError; its strerror says why."""
    with open_regular(path) as file:
        data = file.read(max_bytes + 1)
    if len(data) > max_bytes:
        raise OSError(errno.EFBIG, f"larger than {max_bytes:,} bytes", str(path))
    return data


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file for reading. Raises OSError for a named pipe or a device: reading may never end."""
    file = open(path, "rb", opener=_open_without_waiting)  # noqa: SIM115
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    return file


def read_text(path: Path, max_bytes: int) -> str:
    """The text of a UTF-8 file of at most `max_bytes`, with \\n as line ends. Raises DpkbError."""
    try:
        text = read_bytes(path, max_bytes).decode("utf-8")
    except UnicodeDecodeError as error:
        raise DpkbError(f"is not UTF-8 at byte {error.start}: save the file as UTF-8") from None
    except OSError as error:
        raise DpkbError(f"cannot be read: {error.strerror}") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def leads_outside(path: Path, folder: Path) -> bool:
    """Whether a path leads by links to a place outside of the folder, or is a broken link.

    folder: a resolved path.
    """
    try:
        return not path.resolve(strict=True).is_relative_to(folder)
    except (OSError, RuntimeError):  # RuntimeError: a link to itself
        return path.is_symlink()


def _open_without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


@contextlib.contextmanager
def replace_file(
    path: Path, mode: int = 0o600, last_check: Callable[[], None] = lambda: None
) -> Iterator[Path]:
    """A temporary file that replaces `path` in one step when the block ends without an error.

    mode: its permissions, as far as the umask allows them. last_check: called just before; what it raises
    keeps `path`. Raises OSError if the file cannot be written; `path` then keeps its old content.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_abandoned(path)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
    os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))
    try:
        yield temporary
        _flush_to_disk(temporary)
        last_check()
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def require_writable(path: Path) -> None:
    """Raise OSError if a file cannot be written there. Creates its folder, and no file."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if target.is_symlink():  # a link to itself
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    if target.exists():
        if not os.access(target, os.W_OK):
            raise OSError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return
    require_writable_folder(target.parent)


def require_writable_folder(folder: Path) -> None:
    """Raise OSError if no file can be written in a folder. Creates the folder if needed."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(folder)) from None


def write_text(path: Path, text: str) -> None:
    """Write a text file in one step, with the permissions of any new file. Raises OSError."""
    with replace_file(path, 0o666) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def write_named_text(path: Path, text: str) -> None:
    """Write a text file that the user named, in one step if possible. Raises OSError."""
    if path.exists() and not (path.is_file() and os.access(path.resolve().parent, os.W_OK)):
        # A pipe, a device, or a file in a folder that cannot be written: it cannot be replaced.
        path.write_text(text, encoding="utf-8", newline="\n")
    else:
        write_text(Path(os.path.realpath(path)), text)  # replaces the target of a link, not the link


@contextlib.contextmanager
def exclusive_lock(folder: Path, stop: threading.Event | None = None) -> Iterator[None]:
    """Let no other dpkb process of this user lock the same folder while the block runs.

    Waits up to a minute for the lock, then raises OSError. With `stop`, waits until it is set, then raises
    Stopped. Nothing is locked if the system has no file locks (Windows, some network drives).
    """
    folder.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + LOCK_SECONDS
    while True:
        with try_lock(folder.resolve()) as locked:
            if locked:
                yield
                return
        if stop and stop.is_set():
            raise Stopped
        if not stop and time.monotonic() > deadline:
            raise OSError(errno.EAGAIN, "another dpkb is writing there: wait until it ends", str(folder))
        time.sleep(0.05)


@contextlib.contextmanager
def try_lock(path: Path) -> Iterator[bool]:
    """Lock a file or folder while the block runs; False if another process has locked it.

    True if the system has no file locks. Raises OSError if the path cannot be opened.
    """
    try:
        import fcntl
    except ImportError:
        yield True
        return
    # The lock belongs to the open file, so the system frees it when the process is killed.
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


def _flush_to_disk(path: Path) -> None:
    """Write all data to the disk. Without this a power failure may keep the new name with no content."""
    handle = os.open(path, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _remove_abandoned(path: Path) -> None:
    """Remove the temporary files of earlier, killed processes that wrote the same path."""
    for temporary in path.parent.glob(f".{path.name}.*.tmp"):
        with contextlib.suppress(OSError):
            if time.time() - temporary.stat().st_mtime > _ABANDONED_SECONDS:
                temporary.unlink()
