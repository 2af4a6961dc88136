"""Forwards signals to a command, so that it receives each signal once, as if dpkb were not there."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from typing import NoReturn

from dpkb.relay.channels import StreamChannel, copy_size

# These cannot be caught, report a fault of dpkb itself, or the end of a process that dpkb has started. The last three
# suspend a job: the terminal sends them to dpkb and the command.
_NOT_FORWARDED = (
    *("KILL", "STOP", "CHLD", "SEGV", "BUS", "FPE", "ILL", "TRAP", "SYS"),
    *("TSTP", "TTIN", "TTOU"),
)
# After a signal to the group, the same signal from the same sender within this time is the same request.
_SAME_REQUEST_SECONDS = 0.05
_PR_SET_PDEATHSIG = 1


def list_signals_to_forward() -> set[int]:
    """The signals that dpkb forwards, also those that it was started to ignore, as by nohup.

    The command ignores such a signal too, unless it has a handler for it.
    """
    return set(map(int, signal.valid_signals())) - {getattr(signal, f"SIG{name}") for name in _NOT_FORWARDED}


class _Sentinel:
    """A process of the same process group that reports which signals it has received.

    So dpkb knows whether a signal was sent to the whole group (the command has received it too) or only to
    dpkb (which has to forward it).
    """

    def __init__(self, signals: set[int]) -> None:
        questions, self._ask = os.pipe()
        self._read, answers = os.pipe()
        self._received: set[int] = set()
        self._pid = os.fork()
        if self._pid == 0:
            _run_sentinel(signals, questions, answers)
        os.close(questions)
        os.close(answers)

    def has_received(self, number: int) -> bool:
        """Whether the sentinel has received this signal since the last call for this signal."""
        time.sleep(0.002)  # the kernel may still be delivering the signal to the group
        with contextlib.suppress(OSError):
            os.write(self._ask, b"?")
            self._received |= set(os.read(self._read, 256))
        received = number in self._received
        self._received.discard(number)
        return received

    def close(self) -> None:
        """End the sentinel."""
        os.close(self._ask)
        os.close(self._read)
        with contextlib.suppress(OSError):
            os.waitpid(self._pid, 0)


def _run_sentinel(signals: set[int], questions: int, answers: int) -> NoReturn:
    """Answer requests until dpkb closes their pipe. The signals are blocked, so they stay pending."""
    # The sentinel must not keep pipes open: the command or its reader may wait for their end.
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    for name in os.listdir("/proc/self/fd"):
        if int(name) > 2 and int(name) not in (questions, answers):
            with contextlib.suppress(OSError):
                os.close(int(name))
    with contextlib.suppress(OSError):
        while os.read(questions, 1):
            pending = signals & signal.sigpending()
            for number in pending:
                signal.sigwait({number})
            os.write(answers, bytes(pending) or b"\0")
    os._exit(0)


class BlockedSignals:
    """Blocks the signals to forward while the block runs, and restores them afterwards."""

    def __init__(self) -> None:
        # Only Linux reports the sender of a signal. On other systems nothing is forwarded.
        self._signals = list_signals_to_forward() if hasattr(signal, "sigtimedwait") else set()

    def __enter__(self) -> BlockedSignals:
        self._mask = signal.pthread_sigmask(signal.SIG_BLOCK, self._signals)
        self._dpkb = os.getpid()
        return self

    def __exit__(self, *_: object) -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, self._mask)

    def restore_in_child(self) -> None:
        """Restore signals and closed streams in the command's process, before the command starts.

        If dpkb is killed, so is the command, which would have been killed if it had been started directly.
        """
        if self._signals:
            import ctypes

            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL))
            if os.getppid() != self._dpkb:  # it ended before
                os.kill(os.getpid(), signal.SIGKILL)
        signal.pthread_sigmask(signal.SIG_SETMASK, self._mask)
        for fd, stream in enumerate((sys.__stdin__, sys.__stdout__, sys.__stderr__)):
            if stream is None:  # closed by the caller of dpkb (>&-)
                os.close(fd)

    @contextlib.contextmanager
    def forward_to(self, pid: int, streams: list[StreamChannel]) -> Iterator[None]:
        """Forward signals to this process while the block runs. streams: its outputs."""
        if not self._signals:
            yield
            return
        # Forked after the command: a signal to the group that came before has reached neither, and is forwarded.
        sentinel = _Sentinel(self._signals)
        forwarder = _Forwarder(pid, self._signals, sentinel, streams)
        thread = threading.Thread(target=forwarder.run, daemon=True)
        thread.start()
        try:
            yield
        finally:
            forwarder.done.set()
            signal.pthread_kill(thread.ident or 0, min(self._signals))  # wakes only that thread
            thread.join()
            sentinel.close()


class _Forwarder:
    """Waits for signals in a thread, and forwards them."""

    def __init__(
        self, pid: int, signals: set[int], sentinel: _Sentinel, streams: list[StreamChannel]
    ) -> None:
        self._pid, self._signals, self._sentinel = pid, signals, sentinel
        self._terminals = [stream for stream in streams if os.isatty(stream.fds[0])]
        self.done = threading.Event()
        # (number, sender) of a signal to the group -> the time when it came last.
        self._to_group: dict[tuple[int, int], float] = {}

    def run(self) -> None:
        """Forward signals until `done` is set and one more signal wakes this thread."""
        while True:
            info = signal.sigwaitinfo(self._signals)
            if self.done.is_set():
                # A signal that ended the command must not end dpkb too: dpkb still has to report the end.
                while signal.sigtimedwait(self._signals, 0):
                    pass
                return
            self._handle(info.si_signo, info.si_pid, time.monotonic())

    def _handle(self, number: int, sender: int, now: float) -> None:
        """Forward one signal, unless the process has received it already."""
        # So far the command has only seen the old size of the window.
        always = number == signal.SIGWINCH and bool(self._terminals)
        for stream in self._terminals if always else ():
            copy_size(stream.fds[0], stream.source)
        to_group = self._sentinel.has_received(number)
        # timeout(1) signals its child and then the group: that is one request.
        if to_group:
            self._to_group[number, sender] = now
        is_new = (
            sender != self._pid and now - self._to_group.get((number, sender), 0.0) > _SAME_REQUEST_SECONDS
        )
        if always or is_new:
            with contextlib.suppress(OSError):
                os.kill(self._pid, number)
