"""Runs a command as if dpkb were not there, and keeps what a diagnosis needs of its output."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from dpkb.errors import UnmetNeed
from dpkb.runner.channels import Channel, StreamChannel, open_channels
from dpkb.runner.signals import Sentinel, forwarded_signals, forwarding
from dpkb.runner.tty_mirror import TtyMirror

# How often a terminal's settings, a log file's size and the time without output are looked at.
_LOOK_EVERY = 0.1
# A longer pause between two looks: dpkb itself was stopped, and the command with it.
_WAS_STOPPED = 1.0
# How long a pseudo-terminal may take to hand over what was written to it.
_LAST_BYTES = 0.05


class CannotStart(Exception):
    """The command could not be started; exit_code is the one that a shell gives."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


@dataclass(frozen=True)
class CommandEnd:
    """How the command ended: its exit code (-n: by signal n), its output, whether it was ended as stalled."""

    code: int
    output: list[bytes]
    stalled: bool
    # Whether it was ended because should_end() said so.
    on_request: bool = False


def run_command(argv: list[str], stalled: float | None = None,
                on_stall: Callable[[int], None] | None = None,
                variables: Mapping[str, str] = MappingProxyType({}),
                should_end: Callable[[], bool] | None = None) -> CommandEnd:
    """Run a command as if it had been started directly, and return how it ended and what it wrote.

    After `stalled` seconds without output on_stall(pid) is called and the command is ended; it is also ended
    when should_end() says so. variables: added to its environment. Raises CannotStart, and UnmetNeed on
    Windows.
    """
    if os.name != "posix":
        raise UnmetNeed("this needs Linux or macOS; elsewhere write the output to a file, and give that to "
                        "`dpkb diagnose FILE`")
    terminal = next((fd for fd in (1, 2) if os.isatty(fd)), None)
    mirror = TtyMirror(terminal) if terminal is not None else None
    try:
        with _Signals(mirror) as signals:
            channels = open_channels(mirror)
            process = _start(argv, channels, signals, variables)
            with signals.handed_on_to(process.pid):
                loop = OutputLoop(process, channels, mirror, stalled, on_stall, should_end)
                loop.run()
    finally:
        if mirror:
            mirror.release()
    _leave_to_others(channels)
    code = process.returncode
    if code == 0 and any(isinstance(channel, StreamChannel) and channel.reader_gone for channel in channels):
        code = -signal.SIGPIPE  # what its last write would have come to
    output = [channel.content() for channel in channels]
    return CommandEnd(code, output, loop.was_stalled, loop.ended_on_request)


def _start(argv: list[str], channels: list[Channel], signals: _Signals,
           variables: Mapping[str, str]) -> subprocess.Popen[bytes]:
    ends = {fd: channel.child_end for channel in channels for fd in channel.fds}
    try:
        # close_fds: `<(…)` and the like are the command's to inherit.
        return subprocess.Popen(argv, stdout=ends[1], stderr=ends[2], close_fds=False,
                                env=_environment(variables), preexec_fn=signals.restore)
    except FileNotFoundError as error:
        missing_folder = "" if error.filename == argv[0] else f" ({error})"
        raise CannotStart(f"{argv[0]}: command not found{missing_folder}", 127) from None
    except OSError as error:
        raise CannotStart(f"{argv[0]}: cannot be started: {error.strerror}", 126) from None
    finally:
        for end in {end for end in ends.values() if end is not None}:
            os.close(end)


def _environment(added: Mapping[str, str]) -> dict[bytes, bytes] | None:
    """The variables of the command; None: the same as those of dpkb."""
    if not added:
        return _original_env()
    original = _original_env()
    variables = dict(os.environb) if original is None else original
    return {**variables, **{os.fsencode(name): os.fsencode(value) for name, value in added.items()}}


def _original_env() -> dict[bytes, bytes] | None:
    """The variables that dpkb was started with: Python adds LC_CTYPE to them where the locale is C."""
    with contextlib.suppress(OSError):
        variables = Path("/proc/self/environ").read_bytes().split(b"\0")
        return {name: value for name, _, value in (item.partition(b"=") for item in variables if item)}
    return None


class _Signals:
    """Blocks the signals to hand on while the block runs, and puts them back as they were."""

    def __init__(self, mirror: TtyMirror | None) -> None:
        self._mirror = mirror
        # Only Linux says who sent a signal. On other systems dpkb just survives it.
        self._signals = forwarded_signals() if hasattr(signal, "sigtimedwait") else set()

    def __enter__(self) -> _Signals:
        self._mask = signal.pthread_sigmask(signal.SIG_BLOCK, self._signals)
        self._sentinel = Sentinel(self._signals) if self._signals else None
        return self

    def __exit__(self, *_: object) -> None:
        if self._sentinel:
            self._sentinel.close()
        signal.pthread_sigmask(signal.SIG_SETMASK, self._mask)

    def restore(self) -> None:
        """In the command's own process, before it starts."""
        for number in self._sentinel.missed_by_child() if self._sentinel else ():
            os.kill(os.getpid(), number)
        signal.pthread_sigmask(signal.SIG_SETMASK, self._mask)
        for fd, stream in enumerate((sys.__stdin__, sys.__stdout__, sys.__stderr__)):
            if stream is None:  # closed by whoever started dpkb (>&-)
                os.close(fd)

    def handed_on_to(self, pid: int) -> contextlib.AbstractContextManager[None]:
        """Hand signals on to this process while the block runs."""
        if self._sentinel is None:
            return contextlib.nullcontext()
        return forwarding(pid, self._signals, self._sentinel, self._before, self._stop)

    def _before(self, number: int) -> bool:
        if self._mirror and number == signal.SIGWINCH:
            self._mirror.copy_size()
            return True  # by itself the command has seen the old size
        return False

    def _stop(self, number: int) -> None:
        """Stop dpkb by the signal that has stopped the command; return when both go on."""
        time.sleep(_LAST_BYTES)  # what the command has written comes before the shell's prompt
        if self._mirror:
            self._mirror.suspend()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
        os.kill(os.getpid(), number)
        signal.pthread_sigmask(signal.SIG_BLOCK, {number})
        if self._mirror:
            self._mirror.resume()


class OutputLoop:
    """Passes output on until the command has ended."""

    def __init__(self, process: subprocess.Popen[bytes], channels: list[Channel], mirror: TtyMirror | None,
                 stalled: float | None, on_stall: Callable[[int], None] | None,
                 should_end: Callable[[], bool] | None) -> None:
        self._process = process
        self._channels = channels
        self._mirror = mirror
        self._stalled = stalled
        self._on_stall = on_stall
        self._should_end = should_end
        self.was_stalled = self.ended_on_request = False
        self._activity, self._active_at = -1, time.monotonic()
        self._looked_at = self._active_at

    def run(self) -> None:
        with selectors.DefaultSelector() as selector:
            for channel in self._channels:
                if channel.source is not None:
                    selector.register(channel.source, selectors.EVENT_READ, channel)
            with _end_of(self._process) as ended:
                if ended is not None:
                    selector.register(ended, selectors.EVENT_READ)
                while self._process.poll() is None:
                    self._pass_on(selector, _LOOK_EVERY if self._looks or ended is None else None)
                    self.look()
                if ended is not None:
                    selector.unregister(ended)
            wait = _LAST_BYTES if self._mirror else 0
            while selector.get_map() and self._pass_on(selector, wait):
                pass

    @property
    def _looks(self) -> bool:
        return bool(self._mirror or self._stalled or self._should_end)

    def _pass_on(self, selector: selectors.BaseSelector, timeout: float | None) -> bool:
        """Pass on what there is; False where nothing came in time."""
        ready = selector.select(timeout)
        for key, _ in ready:
            channel = key.data
            if channel is not None and not channel.pass_on():
                selector.unregister(key.fd)
                os.close(key.fd)
                channel.source = None
        return bool(ready)

    def look(self) -> None:
        now = time.monotonic()
        if self._mirror and self._mirror.sync():
            self._channels[0].pass_on()  # the one that reads from the mirror
        if self._should_end and not self.ended_on_request and self._should_end():
            self.ended_on_request = True
            self._end()
        elif self._stalled and not self.was_stalled and self._is_silent(now, self._stalled):
            self.was_stalled = True
            if self._mirror:
                self._mirror.release()  # what is printed now goes straight to the terminal
            if self._on_stall:
                self._on_stall(self._process.pid)
            self._end()
        self._looked_at = now

    def _is_silent(self, now: float, seconds: float) -> bool:
        """Whether the command has written nothing for this many seconds, though it could have."""
        from dpkb.runner.processes import is_stopped

        activity = sum(channel.activity() for channel in self._channels)
        # Stopped by Ctrl-Z or a scheduler: that is no stall.
        if (activity != self._activity or now - self._looked_at > _WAS_STOPPED
                or is_stopped(self._process.pid)):
            self._activity, self._active_at = activity, now
        return now - self._active_at > seconds

    def _end(self) -> None:
        from dpkb.runner.processes import end_politely

        end_politely(self._process)


@contextlib.contextmanager
def _end_of(process: subprocess.Popen[bytes]) -> Iterator[int | None]:
    """A descriptor that can be read when the process has ended; None where the system has none."""
    try:
        descriptor = os.pidfd_open(process.pid)
    except (AttributeError, OSError):
        yield None
        return
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _leave_to_others(channels: list[Channel]) -> None:
    """Background processes of the command may write on: a process that outlives dpkb passes it on."""
    open_ones = [c for c in channels if isinstance(c, StreamChannel) and c.source is not None]
    if not open_ones:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # no other thread is left
        if os.fork():
            return
    with contextlib.suppress(BaseException), selectors.DefaultSelector() as selector:
        for channel in open_ones:
            selector.register(channel.source, selectors.EVENT_READ, channel)  # type: ignore[arg-type]
        while selector.get_map():
            for key, _ in selector.select():
                if not key.data.pass_on():
                    selector.unregister(key.fd)
    os._exit(0)
