"""A pseudo-terminal that a command takes for the user's terminal."""

from __future__ import annotations

import contextlib
import os
import select
import struct
from collections.abc import Iterator

_OFLAG = 1  # the index of the output flags in what tcgetattr returns
_CHUNK = 1 << 16
_TIOCGPTPEER = 0x5441  # Linux: opens the other end of a pseudo-terminal


class TtyMirror:
    """A pseudo-terminal for the output of a command that reads from the user's terminal itself.

    A command may change the settings of either (raw mode, no echo: curses sets its output): what one has
    is carried over to the other. Both translate newlines then, so one translation is undone on the way.
    """

    def __init__(self, real: int) -> None:
        import pty
        import termios

        self._termios = termios
        self.real = real
        self.source, self.child_end = pty.openpty()
        self._original = self._settings = termios.tcgetattr(real)
        termios.tcsetattr(self.child_end, termios.TCSANOW, self._original)
        self._suspended = False
        self._unread = b""
        self.copy_size()

    def copy_size(self) -> None:
        """Give the pseudo-terminal the size of the window."""
        import fcntl

        with contextlib.suppress(OSError):
            size = fcntl.ioctl(self.real, self._termios.TIOCGWINSZ, struct.pack("HHHH", 0, 0, 0, 0))
            fcntl.ioctl(self.source, self._termios.TIOCSWINSZ, size)

    def sync(self) -> bool:
        """Carry over what the command has set since the last call. True: there is something to read now."""
        if self._is_ours():
            self._carry_to_real()
            with contextlib.suppress(OSError, self._termios.error):
                self._carry_to_pseudo()
        return bool(self._unread)

    def _is_ours(self) -> bool:
        with contextlib.suppress(OSError):
            return not self._suspended and os.tcgetpgrp(self.real) == os.getpgrp()
        return False

    def _carry_to_real(self) -> None:
        with contextlib.suppress(OSError, self._termios.error):
            pseudo = self._termios.tcgetattr(self.source)
            if pseudo != self._settings:
                self._termios.tcsetattr(self.real, self._termios.TCSANOW, pseudo)
                self._settings = pseudo

    def _carry_to_pseudo(self) -> None:
        settings, real = self._settings, self._termios.tcgetattr(self.real)
        if real == settings:
            return
        with self._no_writing():
            while select.select([self.source], [], [], 0)[0]:
                self._take(_CHUNK)
            if self._settings == settings:  # the command has changed nothing meanwhile
                self._termios.tcsetattr(self.source, self._termios.TCSANOW, real)
                self._settings = self._termios.tcgetattr(self.source)

    @contextlib.contextmanager
    def _no_writing(self) -> Iterator[None]:
        """While the block runs, a command that writes to the pseudo-terminal waits.

        Otherwise it could write between a last read and new settings, and nobody would know afterwards
        whether its newlines were translated.
        """
        import fcntl

        try:
            end = fcntl.ioctl(self.source, _TIOCGPTPEER, os.O_RDWR | os.O_NOCTTY)
        except OSError:  # not on this system
            yield
            return
        try:
            self._termios.tcflow(end, self._termios.TCOOFF)
            yield
        finally:
            self._termios.tcflow(end, self._termios.TCOON)
            os.close(end)

    def suspend(self) -> None:
        """Give the real terminal back before dpkb stops, and leave it alone until resume()."""
        self._suspended = True
        self.release()

    def resume(self) -> None:
        """Follow the settings of the command again, now that it is in the foreground."""
        self._suspended = False

    def release(self) -> None:
        """Give the real terminal back as it was found."""
        with contextlib.suppress(OSError, self._termios.error):
            if self._settings != self._original and os.tcgetpgrp(self.real) == os.getpgrp():
                self._termios.tcsetattr(self.real, self._termios.TCSADRAIN, self._original)
            self._settings = self._original

    def read(self, size: int) -> bytes:
        """What the command has written, as it wrote it. Raises OSError when its last writer is gone."""
        if not self._unread:
            self._take(size)
        self.sync()  # what is written after a change of settings has to meet the new ones
        chunk, self._unread = self._unread, b""
        return chunk

    def _take(self, size: int) -> None:
        chunk = os.read(self.source, size)
        was_translated = self._translates(self.source)
        if self._is_ours():
            self._carry_to_real()
        if was_translated:
            both_translate = self._translates(self.real)
            # Each newline is a separate piece: bytes that belong to it may follow.
            wait = 0.002 if both_translate else 0.1
            while chunk.endswith(b"\r") and select.select([self.source], [], [], wait)[0]:
                chunk += os.read(self.source, size)
            # If the command has just set the real terminal to raw, what it wrote before that needs its "\r".
            chunk = chunk.replace(b"\r\n", b"\n") if both_translate else chunk.replace(b"\r\r\n", b"\r\n")
        self._unread += chunk

    def _translates(self, fd: int) -> bool:
        """Whether a terminal turns each newline into a carriage return and a newline."""
        flags = self._termios.tcgetattr(fd)[_OFLAG]
        return bool(flags & self._termios.OPOST and flags & self._termios.ONLCR)
