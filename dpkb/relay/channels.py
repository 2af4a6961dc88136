"""Bring a command's output both to its reader and to dpkb: through a file, a pipe or a terminal."""

from __future__ import annotations

import contextlib
import os
import select
import stat
from collections import deque
from collections.abc import Callable
from functools import partial

from dpkb.relay.tty_mirror import TtyMirror

# If an output is longer, only this much of its beginning and its end is kept: an error is in one of them.
HEAD_BYTES, TAIL_BYTES = 8 << 20, 32 << 20
_CHUNK = 1 << 20


class HeadAndTail:
    """The beginning and the end of an output, in bounded memory."""

    def __init__(self, head: int = HEAD_BYTES, tail: int = TAIL_BYTES) -> None:
        self._head, self._tail = bytearray(), deque[bytes]()
        self._head_bytes, self._tail_bytes = head, tail
        self._tail_size = self.dropped_bytes = 0

    def add(self, chunk: bytes) -> None:
        """Keep a chunk. If there is no room, drop the oldest chunks of the end."""
        room = self._head_bytes - len(self._head)
        if room > 0:
            self._head += chunk[:room]
            chunk = chunk[room:]
        if chunk:
            self._tail.append(chunk)
            self._tail_size += len(chunk)
            while self._tail_size - len(self._tail[0]) >= self._tail_bytes:
                dropped = len(self._tail.popleft())
                self._tail_size -= dropped
                self.dropped_bytes += dropped

    def join_parts(self) -> bytes:
        """The kept output, with a line end in place of the part that was left out."""
        return bytes(self._head) + (b"\n" if self.dropped_bytes else b"") + b"".join(self._tail)


class FileChannel:
    """A regular file: the command writes to it directly, and dpkb reads it after the command has ended.

    fds: its descriptors, 1 (standard output), 2 (standard error) or both.
    """

    def __init__(self, fds: tuple[int, ...], reader: int) -> None:
        self.fds = fds
        self._reader = reader
        status = os.fstat(reader)
        self._start = status.st_size
        with contextlib.suppress(OSError):
            self._start = min(self._start, os.lseek(fds[0], 0, os.SEEK_CUR) or self._start)

    def measure_activity(self) -> int:
        """A number that changes when the command writes."""
        status = os.fstat(self._reader)
        return status.st_size + status.st_mtime_ns  # a command may also write over what is in the file

    def read_content(self) -> bytes:
        """The output that the command wrote."""
        size = os.fstat(self._reader).st_size
        # If the file is shorter than at the start, it was emptied meanwhile (log rotation).
        start = self._start if self._start <= size else 0
        os.lseek(self._reader, start, os.SEEK_SET)
        capture = HeadAndTail()
        left = size - start
        if left > HEAD_BYTES + TAIL_BYTES:
            capture.add(os.read(self._reader, HEAD_BYTES))
            capture.dropped_bytes = left - HEAD_BYTES - TAIL_BYTES
            os.lseek(self._reader, size - TAIL_BYTES, os.SEEK_SET)
        while chunk := os.read(self._reader, _CHUNK):
            capture.add(chunk)
        return capture.join_parts()


class StreamChannel:
    """A pipe, or a pseudo-terminal if the reader is a terminal: dpkb passes on what the command writes.

    source: what dpkb reads, as long as it is open. child_end: what the command gets.
    """

    def __init__(
        self, fds: tuple[int, ...], source: int, child_end: int, read: Callable[[int], bytes] | None = None
    ) -> None:
        self.fds = fds
        self.source = source
        self.is_open = True
        self.child_end = child_end
        self._read = read or partial(os.read, source)
        self.reader_gone = False
        self._capture = HeadAndTail()
        self._count = 0

    def pass_on(self) -> bool:
        """Pass new output on to the reader; False when nothing more will come."""
        try:
            chunk = self._read(_CHUNK)
        except BlockingIOError:
            return True
        except OSError:  # the last writer of a pseudo-terminal has ended
            return False
        if not chunk:
            return False
        self._count += len(chunk)
        self._capture.add(chunk)
        try:
            _write_all(self.fds[0], chunk)
        except BrokenPipeError:
            self.reader_gone = True
            return False
        except OSError:  # such as a full disk: dpkb closes the pipe, and the command notices
            return False
        return True

    def measure_activity(self) -> int:
        """A number that changes when the command writes."""
        return self._count

    def read_content(self) -> bytes:
        """The output that was kept for the diagnosis."""
        return self._capture.join_parts()


Channel = FileChannel | StreamChannel


def _write_all(target: int, chunk: bytes) -> None:
    """Write the whole chunk. Raises OSError."""
    rest = memoryview(chunk)
    while rest:
        try:
            rest = rest[os.write(target, rest) :]
        except BlockingIOError:
            # Another process has made the shared stream non-blocking: wait, so that nothing is lost.
            select.select([], [target], [])


def open_channels(mirror: TtyMirror | None, watched: bool = False) -> list[Channel]:
    """Open channels for standard output and standard error; one channel if both are the same.

    A device such as /dev/null has none. mirror: the pseudo-terminal for those that are terminals. watched:
    dpkb must notice when the command writes, so a device has one too.
    """
    terminals = tuple(fd for fd in (1, 2) if os.isatty(fd))
    channels: list[Channel] = []
    if mirror:
        channels.append(StreamChannel(terminals, mirror.source, mirror.child_end, mirror.read))
    others = tuple(fd for fd in (1, 2) if fd not in terminals)
    for fds in [others] if len(others) < 2 or os.path.sameopenfile(1, 2) else [(1,), (2,)]:
        if not fds:
            continue
        if (reader := _open_reader(fds[0])) is not None:
            channels.append(FileChannel(fds, reader))
        elif watched or not stat.S_ISCHR(os.fstat(fds[0]).st_mode):
            source, child_end = os.pipe()
            _enlarge_pipe(child_end)
            channels.append(StreamChannel(fds, source, child_end))
    return channels


def _open_reader(fd: int) -> int | None:
    """A descriptor that reads the file behind fd; None if it is no regular file or cannot be read."""
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        return None
    with contextlib.suppress(OSError):
        return os.open(f"/proc/self/fd/{fd}", os.O_RDONLY)
    return None


def _enlarge_pipe(pipe: int) -> None:
    """Enlarge a pipe to 1 MiB if the system allows it, for fewer and larger reads."""
    with contextlib.suppress(ImportError, AttributeError, OSError):
        import fcntl

        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _CHUNK)
