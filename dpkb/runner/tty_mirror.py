"""A pseudo-terminal that a command takes for the user's terminal."""

from __future__ import annotations

import contextlib
import os
import select
import struct

_OFLAG = 1  # the index of the output flags in what tcgetattr returns


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
        self.copy_size()

    def copy_size(self) -> None:
        """Give the pseudo-terminal the size of the window."""
        import fcntl

        with contextlib.suppress(OSError):
            size = fcntl.ioctl(self.real, self._termios.TIOCGWINSZ, struct.pack("HHHH", 0, 0, 0, 0))
            fcntl.ioctl(self.source, self._termios.TIOCSWINSZ, size)

    def sync(self) -> None:
        """Carry over what the command has set since the last call."""
        with contextlib.suppress(OSError, self._termios.error):
            pseudo = self._termios.tcgetattr(self.source)
            if os.tcgetpgrp(self.real) != os.getpgrp():
                return
            real = self._termios.tcgetattr(self.real)
            if pseudo != self._settings:
                self._termios.tcsetattr(self.real, self._termios.TCSANOW, pseudo)
                self._settings = pseudo
            elif real != self._settings:
                self._termios.tcsetattr(self.source, self._termios.TCSANOW, real)
                self._settings = self._termios.tcgetattr(self.source)

    def release(self) -> None:
        """Give the real terminal back as it was found: at the end, or before dpkb is suspended."""
        with contextlib.suppress(OSError, self._termios.error):
            if self._settings != self._original and os.tcgetpgrp(self.real) == os.getpgrp():
                self._termios.tcsetattr(self.real, self._termios.TCSADRAIN, self._original)
            # What the command has set holds again when it goes on in the foreground.
            self._settings = self._original

    def read(self, size: int) -> bytes:
        """What the command has written, as it wrote it. Raises OSError when its last writer is gone."""
        chunk = os.read(self.source, size)
        while chunk.endswith(b"\r") and select.select([self.source], [], [], 0.002)[0]:
            chunk += os.read(self.source, size)
        was_translated = self._translates(self.source)
        self.sync()  # what is written after a change of settings has to meet the new ones
        if not was_translated:
            return chunk
        if self._translates(self.real):
            return chunk.replace(b"\r\n", b"\n")
        # The command has just set the real terminal to raw: what it wrote before that needs its "\r".
        return chunk.replace(b"\r\r\n", b"\r\n")

    def _translates(self, fd: int) -> bool:
        """Whether a terminal turns each newline into a carriage return and a newline."""
        flags = self._termios.tcgetattr(fd)[_OFLAG]
        return bool(flags & self._termios.OPOST and flags & self._termios.ONLCR)
