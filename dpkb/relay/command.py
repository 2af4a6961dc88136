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
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from dpkb.errors import UnmetNeed, UsageError
from dpkb.relay.channels import StreamChannel, open_channels
from dpkb.relay.signal_forwarding import BlockedSignals
from dpkb.run_records import CommandEnd

# Seconds between two looks at the command: whether it has ended. A terminal delivers its last output within this time.
_CHECK_INTERVAL = 0.05
# After a longer pause between two checks, dpkb itself was stopped, and the command with it.
_STOPPED_SECONDS = 1.0
# A command that should end may be about to end by itself, by an error that must not be hidden. So it still
# has this many seconds.
_SECONDS_TO_END = 1.0


class CannotStart(Exception):
    """The command could not be started. exit_code: the code that a shell returns in this case."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


@dataclass(frozen=True)
class EndConditions:
    """When dpkb ends a command that still runs.

    After `stalled_after` seconds without output, dpkb calls on_stall(pid) and ends the command; the text that this
    returns counts as output. It also ends the command soon after should_end() is true.
    """

    stalled_after: float | None = None
    on_stall: Callable[[int], str | None] | None = None
    should_end: Callable[[], bool] | None = None


def run_command(
    argv: list[str],
    conditions: EndConditions = EndConditions(),
    variables: Mapping[str, str] = MappingProxyType({}),
) -> CommandEnd:
    """Run a command as if it had been started directly, and return how it ended and what it wrote.

    variables: added to its environment. Raises CannotStart, UsageError, and UnmetNeed on Windows.
    """
    if os.name != "posix":
        raise UnmetNeed(
            "this needs Linux or macOS; on Windows, write the output of the command to a file "
            "and run `dpkb diagnose FILE`"
        )
    if conditions.stalled_after and sys.__stdout__ is None and sys.__stderr__ is None:
        raise UsageError("--stalled: both outputs are closed, so nobody can tell whether the command works")
    with BlockedSignals() as signals:
        streams = open_channels()
        process = _start(argv, streams, signals, variables)
        with signals.forward_to(process.pid, streams):
            loop = OutputLoop(process, streams, conditions)
            try:
                loop.run()
            except Exception:
                if process.poll() is None:  # nobody would read its output, or know that it still runs
                    loop.end_command()
                raise
    _fork_output_relay(streams)
    code = process.returncode
    if code == 0 and any(stream.reader_gone for stream in streams):
        code = -signal.SIGPIPE  # the signal that its last write would have caused
    output = [*(stream.read_content() for stream in streams), loop.stacks.encode("utf-8", "replace")]
    return CommandEnd(code, output, loop.was_stalled, loop.ended_on_request)


def _start(
    argv: list[str], streams: list[StreamChannel], signals: BlockedSignals, variables: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    ends = {fd: stream.child_end for stream in streams for fd in stream.fds}
    try:
        # close_fds: the command inherits other descriptors, such as those of the shell's `<(…)`.
        return subprocess.Popen(
            argv,
            stdout=ends.get(1),
            stderr=ends.get(2),
            close_fds=False,
            env=_choose_environment(variables),
            preexec_fn=signals.restore_in_child,
        )
    except FileNotFoundError as error:
        missing_folder = "" if error.filename == argv[0] else f" ({error})"
        raise CannotStart(f"{argv[0]}: command not found{missing_folder}", 127) from None
    except OSError as error:
        raise CannotStart(f"{argv[0]}: cannot be started: {error.strerror}", 126) from None
    finally:
        for end in set(ends.values()):
            os.close(end)


def _choose_environment(added: Mapping[str, str]) -> dict[bytes, bytes]:
    """The variables of the command."""
    variables = dict(os.environb)
    # Those that dpkb was started with: Python adds LC_CTYPE if the locale is C.
    with contextlib.suppress(OSError):
        items = Path("/proc/self/environ").read_bytes().split(b"\0")
        variables = {name: value for name, _, value in (item.partition(b"=") for item in items if item)}
    return {**variables, **{os.fsencode(name): os.fsencode(value) for name, value in added.items()}}


class OutputLoop:
    """Passes output on until the command has ended, and ends the command if it stalls or should end."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        streams: list[StreamChannel],
        conditions: EndConditions,
    ) -> None:
        self._process = process
        self._streams = streams
        self._conditions = conditions
        self.was_stalled = self.ended_on_request = False
        self.stacks = ""
        # When the command is ended because should_end() was true.
        self._end_at: float | None = None
        self._activity, self._active_at = -1, time.monotonic()
        self._checked_at = self._active_at

    def run(self) -> None:
        """Pass output on until the command has ended, and then what is left of it."""
        with selectors.DefaultSelector() as selector:
            for stream in self._streams:
                selector.register(stream.source, selectors.EVENT_READ, stream)
            while self._process.poll() is None:
                self._pass_on(selector, _CHECK_INTERVAL)
                self.check()
            while selector.get_map() and self._pass_on(selector, _CHECK_INTERVAL):
                pass

    def _pass_on(self, selector: selectors.BaseSelector, timeout: float) -> bool:
        """Pass on the output that is there; False if none came in time."""
        ready = selector.select(timeout)
        for key, _ in ready:
            if not key.data.pass_on():
                selector.unregister(key.fd)
                os.close(key.fd)
                key.data.is_open = False
        return bool(ready)

    def check(self) -> None:
        """End the command if it should end or has stalled."""
        now = time.monotonic()
        if self._process.poll() is not None:
            return  # it has ended since it was last looked at: how it ended must be reported
        if self._is_due(now):
            self.ended_on_request = True
            self.end_command()
        elif not self.was_stalled and self._is_silent(now):
            self.was_stalled = True
            if self._conditions.on_stall:
                self.stacks = self._conditions.on_stall(self._process.pid) or ""
            self.end_command()
        self._checked_at = now

    def _is_due(self, now: float) -> bool:
        """Whether should_end() has been true for so long that the command will not end by itself."""
        if not (self._conditions.should_end and self._conditions.should_end()):
            self._end_at = None
        elif self._end_at is None:
            self._end_at = now + _SECONDS_TO_END
        return self._end_at is not None and now >= self._end_at

    def _is_silent(self, now: float) -> bool:
        """Whether the command has run without output for as long as it may."""
        if not self._conditions.stalled_after:
            return False
        from dpkb.runner.processes import is_stopped

        activity = sum(stream.measure_activity() for stream in self._streams)
        # A command that was stopped, by Ctrl-Z or a scheduler, has not stalled.
        if (
            activity != self._activity
            or now - self._checked_at > _STOPPED_SECONDS
            or is_stopped(self._process.pid)
        ):
            self._activity, self._active_at = activity, now
        return now - self._active_at > self._conditions.stalled_after

    def end_command(self) -> None:
        """End the command and every process below it."""
        from dpkb.runner.processes import end_gracefully

        end_gracefully(self._process)


def _fork_output_relay(streams: list[StreamChannel]) -> None:
    """Leave a process that passes on the output of the command's background processes after dpkb ends."""
    still_open = [stream for stream in streams if stream.is_open]
    if not still_open:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # fork is safe: no other thread runs
        if os.fork():
            return
    with contextlib.suppress(BaseException), selectors.DefaultSelector() as selector:
        for stream in still_open:
            selector.register(stream.source, selectors.EVENT_READ, stream)
        while selector.get_map():
            for key, _ in selector.select():
                if not key.data.pass_on():
                    selector.unregister(key.fd)
    os._exit(0)
