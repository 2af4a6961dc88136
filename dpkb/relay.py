"""Runs a command with its output passed through unchanged, and read on the way."""

from __future__ import annotations

import contextlib
import os
import select
import selectors
import shutil
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import psutil

from dpkb.errors import UsageError
from dpkb.plain import plain

_CHUNK = 64 * 1024
# What an orphan may still write after the command has ended.
_LAST_WORDS = 0.3


@dataclass(frozen=True)
class Relayed:
    """How the command ended: its exit code (128 + n for signal n), and whether it was stopped silent."""

    code: int
    stalled: bool


def relay(argv: list[str], take: Callable[[int, bytes], None], stalled: float | None = None,
          on_stall: Callable[[int], None] | None = None) -> Relayed:
    """Run a command as if it had been started directly; take(1 or 2, bytes) sees what it writes.

    Where a stream is a terminal the command gets a terminal too. After `stalled` seconds without
    output on_stall(pid) is called, and the command is ended. Raises UsageError where it cannot start.
    """
    channels = _channels()
    try:
        process = subprocess.Popen(argv, stdout=channels[1][1], stderr=channels[2][1])
    except OSError as error:
        raise UsageError(f"{argv[0]}: cannot be started: {error.strerror}") from None
    finally:
        for end in {write for _, write in channels.values()}:
            os.close(end)
    with _signals_passed_on(process):
        was_silent = _pump({read: fd for fd, (read, _) in reversed(channels.items())}, process, take,
                           stalled, on_stall)
        code = process.wait()
    return Relayed(code if code >= 0 else 128 - code, was_silent)


def _channels() -> dict[int, tuple[int, int]]:
    """For stdout and stderr the two ends of what carries it: one terminal for both, or pipes."""
    made: dict[int, tuple[int, int]] = {}
    terminal = None
    for fd in (1, 2):
        if os.name == "posix" and os.isatty(fd):
            terminal = terminal or _terminal_like(fd)
            made[fd] = terminal
        else:
            made[fd] = os.pipe()
    return made


def _terminal_like(fd: int) -> tuple[int, int]:
    import fcntl
    import pty
    import termios
    import tty

    read, write = pty.openpty()
    size = fcntl.ioctl(fd, termios.TIOCGWINSZ, struct.pack("HHHH", 0, 0, 0, 0))
    fcntl.ioctl(write, termios.TIOCSWINSZ, size)
    # The real terminal makes newlines into what it needs: done once is enough.
    tty.setraw(write)
    return read, write


@contextlib.contextmanager
def _signals_passed_on(process: subprocess.Popen):
    """Ctrl-C reaches the command from the terminal: dpkb only waits. Other requests are handed on."""
    handlers = {signal.SIGINT: lambda *_: None, signal.SIGTERM: lambda n, _: process.send_signal(n)}
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _pump(sources: dict[int, int], process: subprocess.Popen, take: Callable[[int, bytes], None],
          stalled: float | None, on_stall: Callable[[int], None] | None) -> bool:
    """Pass on what comes until the command has ended and nothing more does. True: it had stalled."""
    heard, was_silent = time.monotonic(), False
    with selectors.DefaultSelector() as selector:
        for source in sources:
            selector.register(source, selectors.EVENT_READ)
        while sources:
            ready = selector.select(timeout=_LAST_WORDS)
            for key, _ in ready:
                heard = time.monotonic()
                if not _pass_on(key.fd, sources[key.fd], take):
                    selector.unregister(key.fd)
                    os.close(key.fd)
                    del sources[key.fd]
            if not ready and process.poll() is not None:
                break
            if stalled and not was_silent and time.monotonic() - heard > stalled:
                was_silent = True
                if on_stall:
                    on_stall(process.pid)
                _end(process)
    for source in sources:
        os.close(source)
    return was_silent


def _pass_on(source: int, target: int, take: Callable[[int, bytes], None]) -> bool:
    """Hand one chunk on; False at the end, or when it can go nowhere any more."""
    try:
        chunk = os.read(source, _CHUNK)
    except OSError:  # a terminal whose last writer is gone
        return False
    if not chunk:
        return False
    take(target, chunk)
    while chunk:
        try:
            chunk = chunk[os.write(target, chunk):]
        except BlockingIOError:
            # Somebody who shares the stream has made it so: nothing may be lost for that.
            select.select([], [target], [])
        except OSError:  # no reader, or a full disk
            return False
    return True


def _end(process: subprocess.Popen) -> None:
    """End the command and all its children: politely first."""
    family = []
    with contextlib.suppress(psutil.Error):
        leader = psutil.Process(process.pid)
        family = [leader, *leader.children(recursive=True)]
    for member in family:
        with contextlib.suppress(psutil.Error):
            member.terminate()
    for member in psutil.wait_procs(family, timeout=3)[1]:
        with contextlib.suppress(psutil.Error):
            member.kill()


def where_it_stands(pid: int) -> str:
    """The stack of each Python process of a command, by py-spy where that is installed."""
    tool = shutil.which("py-spy") or shutil.which("py-spy", path=os.path.dirname(sys.executable))
    if tool is None:
        return "With py-spy installed (pip install py-spy), dpkb shows where each process stands."
    told = ["Its processes stand here:"]
    with contextlib.suppress(psutil.Error):
        leader = psutil.Process(pid)
        for member in (leader, *leader.children(recursive=True)):
            with contextlib.suppress(psutil.Error, subprocess.TimeoutExpired):
                if "python" in member.name():
                    done = subprocess.run([tool, "dump", "--pid", str(member.pid)], text=True,
                                          capture_output=True, timeout=20, check=False)
                    told.append((done.stdout or done.stderr).strip())
    return plain("\n".join(told))
