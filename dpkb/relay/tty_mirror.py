"""A pseudo-terminal that behaves like the user's terminal, for the output of a command."""

from __future__ import annotations

import contextlib
import os
import select
import struct

# A pseudo-terminal delivers written text within this many seconds.
DELIVERY_SECONDS = 0.05
_OFLAG = 1  # the index of the output flags in what tcgetattr returns
_CHUNK = 1 << 16


class TtyMirror:
    """A pseudo-terminal for the output of a command that reads from the user's terminal itself.

    A command may change the settings of either terminal (raw mode, no echo). dpkb copies each change to the
    other terminal. If both translate newlines, dpkb undoes one translation.
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
        """Copy the settings that changed since the last call. True if there is output to read now."""
        if self._is_in_foreground():
            self._copy_to_real()
            with contextlib.suppress(OSError, self._termios.error):
                self._copy_to_pseudo()
        return bool(self._unread)

    def _is_in_foreground(self) -> bool:
        with contextlib.suppress(OSError):
            return not self._suspended and os.tcgetpgrp(self.real) == os.getpgrp()
        return False

    def _copy_to_real(self) -> None:
        with contextlib.suppress(OSError, self._termios.error):
            pseudo = self._termios.tcgetattr(self.source)
            if pseudo != self._settings:
                self._termios.tcsetattr(self.real, self._termios.TCSANOW, pseudo)
                self._settings = pseudo

    def _copy_to_pseudo(self) -> None:
        settings, real = self._settings, self._termios.tcgetattr(self.real)
        if real == settings:
            return
        # What was written before has to be read before: dpkb must know whether its newlines were translated.
        while select.select([self.source], [], [], 0)[0]:
            self._read_more(_CHUNK)
        if self._settings == settings:  # the command has not changed them meanwhile
            self._termios.tcsetattr(self.source, self._termios.TCSANOW, real)
            self._settings = self._termios.tcgetattr(self.source)

    def suspend(self) -> None:
        """Restore the real terminal before dpkb stops, and leave it unchanged until resume()."""
        self._suspended = True
        self.release()

    def resume(self) -> None:
        """Copy settings again, now that the command is in the foreground again."""
        self._suspended = False

    def release(self) -> None:
        """Restore the original settings of the real terminal."""
        with contextlib.suppress(OSError, self._termios.error):
            if self._settings != self._original and os.tcgetpgrp(self.real) == os.getpgrp():
                self._termios.tcsetattr(self.real, self._termios.TCSADRAIN, self._original)
            self._settings = self._original

    def read(self, size: int) -> bytes:
        """The bytes that the command wrote. Raises OSError after the last writer has ended."""
        if not self._unread:
            self._read_more(size)
        self.sync()  # output that follows a change of settings has to meet the new settings
        chunk, self._unread = self._unread, b""
        return chunk

    def _read_more(self, size: int) -> None:
        chunk = os.read(self.source, size)
        was_translated = self._translates(self.source)
        if self._is_in_foreground():
            self._copy_to_real()
        if was_translated:
            both_translate = self._translates(self.real)
            # A read can end within a translated newline: wait for the rest of it.
            wait = 0.002 if both_translate else 0.1
            while chunk.endswith(b"\r") and select.select([self.source], [], [], wait)[0]:
                chunk += os.read(self.source, size)
            # If the command has just set the real terminal to raw, its earlier output needs each "\r".
            chunk = chunk.replace(b"\r\n", b"\n") if both_translate else chunk.replace(b"\r\r\n", b"\r\n")
        self._unread += chunk

    def _translates(self, fd: int) -> bool:
        """Whether a terminal turns each newline into a carriage return and a newline."""
        flags = self._termios.tcgetattr(fd)[_OFLAG]
        return bool(flags & self._termios.OPOST and flags & self._termios.ONLCR)
