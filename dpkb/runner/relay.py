"""Runs a command as if dpkb were not there, and keeps the part of its output that a diagnosis needs."""

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
from dpkb.runner.signal_forwarding import Sentinel, forward_signals, signals_to_forward
from dpkb.runner.tty_mirror import TtyMirror

# Seconds between two checks of a terminal's settings, a log file's size and the time without output.
_CHECK_INTERVAL = 0.1
# After a longer pause between two checks, dpkb itself was stopped, and the command with it.
_STOPPED_SECONDS = 1.0
# A command that should end may be about to end by itself, by an error that must not be hidden. So it still
# has this many seconds.
_SECONDS_TO_END = 1.0
# A pseudo-terminal delivers written text within this many seconds.
_TERMINAL_DELAY = 0.05


class CannotStart(Exception):
    """The command could not be started. exit_code: the code that a shell returns in this case."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


@dataclass(frozen=True)
class CommandEnd:
    """How a command ended: its exit code (-n: by signal n), its output, and whether it stalled."""

    code: int
    output: list[bytes]
    stalled: bool
    # Whether dpkb ended it because should_end() was true, and it did not end by itself.
    on_request: bool = False


def run_command(argv: list[str], stalled_after: float | None = None,
                on_stall: Callable[[int], None] | None = None,
                variables: Mapping[str, str] = MappingProxyType({}),
                should_end: Callable[[], bool] | None = None) -> CommandEnd:
    """Run a command as if it had been started directly, and return how it ended and what it wrote.

    After `stalled_after` seconds without output, calls on_stall(pid) and ends the command. Also ends it soon
    after should_end() is true. variables: added to its environment. Raises CannotStart, and UnmetNeed on
    Windows.
    """
    if os.name != "posix":
        raise UnmetNeed("this needs Linux or macOS; on Windows, write the output of the command to a file "
                        "and run `dpkb diagnose FILE`")
    terminal = next((fd for fd in (1, 2) if os.isatty(fd)), None)
    mirror = TtyMirror(terminal) if terminal is not None else None
    try:
        with _SignalForwarding(mirror) as signals:
            channels = open_channels(mirror)
            process = _start(argv, channels, signals, variables)
            with signals.forward_to(process.pid):
                loop = OutputLoop(process, channels, mirror, stalled_after, on_stall, should_end)
                loop.run()
    finally:
        if mirror:
            mirror.release()
    _fork_output_relay(channels)
    code = process.returncode
    if code == 0 and any(isinstance(channel, StreamChannel) and channel.reader_gone for channel in channels):
        code = -signal.SIGPIPE  # the signal that its last write would have caused
    output = [channel.content() for channel in channels]
    return CommandEnd(code, output, loop.was_stalled, loop.ended_on_request)


def _start(argv: list[str], channels: list[Channel], signals: _SignalForwarding,
           variables: Mapping[str, str]) -> subprocess.Popen[bytes]:
    ends = {fd: channel.child_end for channel in channels for fd in channel.fds}
    try:
        # close_fds: the command inherits other descriptors, such as those of the shell's `<(…)`.
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
    """The variables of the command; None if they are the same as those of dpkb."""
    if not added:
        return _original_env()
    original = _original_env()
    variables = dict(os.environb) if original is None else original
    return {**variables, **{os.fsencode(name): os.fsencode(value) for name, value in added.items()}}


def _original_env() -> dict[bytes, bytes] | None:
    """The variables that dpkb was started with; None if unknown. Python adds LC_CTYPE if the locale is C."""
    with contextlib.suppress(OSError):
        variables = Path("/proc/self/environ").read_bytes().split(b"\0")
        return {name: value for name, _, value in (item.partition(b"=") for item in variables if item)}
    return None


class _SignalForwarding:
    """Blocks the signals to forward while the block runs, and restores them afterwards."""

    def __init__(self, mirror: TtyMirror | None) -> None:
        self._mirror = mirror
        # Only Linux reports the sender of a signal. On other systems nothing is forwarded.
        self._signals = signals_to_forward() if hasattr(signal, "sigtimedwait") else set()

    def __enter__(self) -> _SignalForwarding:
        self._mask = signal.pthread_sigmask(signal.SIG_BLOCK, self._signals)
        self._sentinel = Sentinel(self._signals) if self._signals else None
        return self

    def __exit__(self, *_: object) -> None:
        if self._sentinel:
            self._sentinel.close()
        signal.pthread_sigmask(signal.SIG_SETMASK, self._mask)

    def restore(self) -> None:
        """Restore signals and closed streams in the command's process, before the command starts."""
        for number in self._sentinel.received_before_fork() if self._sentinel else ():
            os.kill(os.getpid(), number)
        signal.pthread_sigmask(signal.SIG_SETMASK, self._mask)
        for fd, stream in enumerate((sys.__stdin__, sys.__stdout__, sys.__stderr__)):
            if stream is None:  # closed by the caller of dpkb (>&-)
                os.close(fd)

    def forward_to(self, pid: int) -> contextlib.AbstractContextManager[None]:
        """Forward signals to this process while the block runs."""
        if self._sentinel is None:
            return contextlib.nullcontext()
        return forward_signals(pid, self._signals, self._sentinel, self._on_signal, self._suspend_dpkb)

    def _on_signal(self, number: int) -> bool:
        if self._mirror and number == signal.SIGWINCH:
            self._mirror.copy_size()
            return True  # always forward it: the command has only seen the old size
        return False

    def _suspend_dpkb(self, number: int) -> None:
        """Suspend dpkb by the signal that suspended the command; return when both continue."""
        time.sleep(_TERMINAL_DELAY)  # the command's last output has to come before the shell's prompt
        if self._mirror:
            self._mirror.suspend()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
        os.kill(os.getpid(), number)
        signal.pthread_sigmask(signal.SIG_BLOCK, {number})
        if self._mirror:
            self._mirror.resume()


class OutputLoop:
    """Passes output on until the command has ended, and ends the command if it stalls or should end."""

    def __init__(self, process: subprocess.Popen[bytes], channels: list[Channel], mirror: TtyMirror | None,
                 stalled_after: float | None, on_stall: Callable[[int], None] | None,
                 should_end: Callable[[], bool] | None) -> None:
        self._process = process
        self._channels = channels
        self._mirror = mirror
        self._stalled_after = stalled_after
        self._on_stall = on_stall
        self._should_end = should_end
        self.was_stalled = self.ended_on_request = False
        # When the command is ended because should_end() was true.
        self._end_at: float | None = None
        self._activity, self._active_at = -1, time.monotonic()
        self._checked_at = self._active_at

    def run(self) -> None:
        """Pass output on until the command has ended, and then what is left of it."""
        with selectors.DefaultSelector() as selector:
            for channel in self._channels:
                if channel.source is not None:
                    selector.register(channel.source, selectors.EVENT_READ, channel)
            with _end_descriptor(self._process) as ended:
                if ended is not None:
                    selector.register(ended, selectors.EVENT_READ)
                while self._process.poll() is None:
                    self._pass_on(selector, _CHECK_INTERVAL if self._has_checks or ended is None else None)
                    self.check()
                if ended is not None:
                    selector.unregister(ended)
            wait = _TERMINAL_DELAY if self._mirror else 0
            while selector.get_map() and self._pass_on(selector, wait):
                pass

    @property
    def _has_checks(self) -> bool:
        return bool(self._mirror or self._stalled_after or self._should_end)

    def _pass_on(self, selector: selectors.BaseSelector, timeout: float | None) -> bool:
        """Pass on the output that is there; False if none came in time."""
        ready = selector.select(timeout)
        for key, _ in ready:
            channel = key.data
            if channel is not None and not channel.pass_on():
                selector.unregister(key.fd)
                os.close(key.fd)
                channel.source = None
        return bool(ready)

    def check(self) -> None:
        """Copy terminal settings, and end the command if it should end or has stalled."""
        now = time.monotonic()
        if self._mirror and self._mirror.sync():
            self._channels[0].pass_on()  # the channel that reads from the mirror
        if self._process.poll() is not None:
            return  # it has ended since it was last looked at: how it ended must be reported
        if self._is_due(now):
            self.ended_on_request = True
            self._end()
        elif self._stalled_after and not self.was_stalled and self._is_silent(now, self._stalled_after):
            self.was_stalled = True
            if self._mirror:
                self._mirror.release()  # dpkb prints directly to the terminal now
            if self._on_stall:
                self._on_stall(self._process.pid)
            self._end()
        self._checked_at = now

    def _is_due(self, now: float) -> bool:
        """Whether should_end() has been true for so long that the command will not end by itself."""
        if not (self._should_end and self._should_end()):
            self._end_at = None
        elif self._end_at is None:
            self._end_at = now + _SECONDS_TO_END
        return self._end_at is not None and now >= self._end_at

    def _is_silent(self, now: float, seconds: float) -> bool:
        """Whether the command ran for this many seconds without output."""
        from dpkb.runner.processes import is_stopped

        activity = sum(channel.activity() for channel in self._channels)
        # A command that was stopped, by Ctrl-Z or a scheduler, has not stalled.
        if (activity != self._activity or now - self._checked_at > _STOPPED_SECONDS
                or is_stopped(self._process.pid)):
            self._activity, self._active_at = activity, now
        return now - self._active_at > seconds

    def _end(self) -> None:
        from dpkb.runner.processes import end_gracefully

        end_gracefully(self._process)


@contextlib.contextmanager
def _end_descriptor(process: subprocess.Popen[bytes]) -> Iterator[int | None]:
    """A descriptor that becomes readable when the process ends; None if the system has no such thing."""
    try:
        descriptor = os.pidfd_open(process.pid)
    except (AttributeError, OSError):
        yield None
        return
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _fork_output_relay(channels: list[Channel]) -> None:
    """Leave a process that passes on the output of the command's background processes after dpkb ends."""
    still_open = [c for c in channels if isinstance(c, StreamChannel) and c.source is not None]
    if not still_open:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # fork is safe: no other thread runs
        if os.fork():
            return
    with contextlib.suppress(BaseException), selectors.DefaultSelector() as selector:
        for channel in still_open:
            selector.register(channel.source, selectors.EVENT_READ, channel)  # type: ignore[arg-type]
        while selector.get_map():
            for key, _ in selector.select():
                if not key.data.pass_on():
                    selector.unregister(key.fd)
    os._exit(0)
