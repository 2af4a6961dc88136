"""Bring a command's output both to its reader and to dpkb: through a pipe or a pseudo-terminal."""

from __future__ import annotations

import contextlib
import os
import select
from collections import deque

# If an output is longer, only this much of its beginning and its end is kept: an error is in one of them.
HEAD_BYTES, TAIL_BYTES = 8 << 20, 32 << 20
_CHUNK = 1 << 20
# The index of the flags of output in what tcgetattr returns.
_OFLAG = 1


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


class StreamChannel:
    """A pipe, or a pseudo-terminal if the reader is a terminal: dpkb passes on what the command writes.

    fds: its descriptors, 1 (standard output), 2 (standard error) or both. source: what dpkb reads, as long as it is
    open. child_end: what the command gets.
    """

    def __init__(self, fds: tuple[int, ...], source: int, child_end: int) -> None:
        self.fds = fds
        self.source = source
        self.is_open = True
        self.child_end = child_end
        self.reader_gone = False
        self._capture = HeadAndTail()
        self._count = 0

    def pass_on(self) -> bool:
        """Pass new output on to the reader; False when nothing more will come."""
        try:
            chunk = os.read(self.source, _CHUNK)
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


def _write_all(target: int, chunk: bytes) -> None:
    """Write the whole chunk. Raises OSError."""
    rest = memoryview(chunk)
    while rest:
        try:
            rest = rest[os.write(target, rest) :]
        except BlockingIOError:
            # Another process has made the shared stream non-blocking: wait, so that nothing is lost.
            select.select([], [target], [])


def open_channels() -> list[StreamChannel]:
    """Open channels for standard output and standard error; one channel if both are the same."""
    terminals = tuple(fd for fd in (1, 2) if os.isatty(fd))
    others = tuple(fd for fd in (1, 2) if fd not in terminals)
    channels = [StreamChannel(terminals, *_open_terminal(terminals[0]))] if terminals else []
    for fds in [others] if len(others) < 2 or os.path.sameopenfile(1, 2) else [(1,), (2,)]:
        if fds:
            channels.append(StreamChannel(fds, *os.pipe()))
    return channels


def _open_terminal(real: int) -> tuple[int, int]:
    """Both ends of a pseudo-terminal with the settings and the size of a terminal."""
    import pty
    import termios

    source, child_end = pty.openpty()
    settings = termios.tcgetattr(real)
    settings[_OFLAG] &= ~termios.OPOST  # the terminal itself translates the ends of lines
    termios.tcsetattr(child_end, termios.TCSANOW, settings)
    copy_size(real, source)
    return source, child_end


def copy_size(real: int, pseudo: int) -> None:
    """Give a pseudo-terminal the size of the window."""
    import fcntl
    import termios

    with contextlib.suppress(OSError):
        size = fcntl.ioctl(real, termios.TIOCGWINSZ, bytes(8))
        fcntl.ioctl(pseudo, termios.TIOCSWINSZ, size)
