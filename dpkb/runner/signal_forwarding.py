"""Forwards signals to a command, so that it receives each signal once, as if dpkb were not there."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import NoReturn

# Signals that request something. The others report faults of the program, or cannot be caught.
_SIGNAL_NAMES = ("HUP", "INT", "QUIT", "TERM", "USR1", "USR2", "ALRM", "VTALRM", "PROF", "TSTP", "CONT",
                 "WINCH", "URG", "IO", "PWR", "TTIN", "TTOU")
# The same signal from the same sender within this time is the same request.
_SAME_REQUEST_SECONDS = 0.05
# Signals that suspend a program: Ctrl-Z, and reading from or writing to the terminal in the background.
SUSPEND_SIGNALS = (signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU)
# A command may take this long to react to such a signal: an editor restores the screen first.
_SUSPEND_SECONDS = 10.0
# The requests to a sentinel for the signals that it has received: forget them afterwards, or keep them.
_TAKE, _LOOK = b"t", b"l"


def signals_to_forward() -> set[signal.Signals]:
    """The signals that dpkb forwards, also those that it was started to ignore, as by nohup.

    The command ignores such a signal too, unless it has a handler for it.
    """
    known = (getattr(signal, f"SIG{name}", None) for name in _SIGNAL_NAMES)
    return {number for number in known if number}


class Sentinel:
    """A process of the same process group that reports which signals it has received.

    So dpkb knows whether a signal was sent to the whole group (the command has received it too) or only to
    dpkb (which has to forward it).
    """

    def __init__(self, signals: set[signal.Signals]) -> None:
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
        self._received |= self._answer_to(_TAKE)
        received = number in self._received
        self._received.discard(number)
        return received

    def received_before_fork(self) -> set[int]:
        """The signals that the group received before a fork. For a child, forked after the sentinel."""
        return self._answer_to(_LOOK) - {*signal.sigpending(), *SUSPEND_SIGNALS}

    def _answer_to(self, question: bytes) -> set[int]:
        with contextlib.suppress(OSError):
            os.write(self._ask, question)
            return {number for number in os.read(self._read, 256) if number}
        return set()

    def close(self) -> None:
        """End the sentinel."""
        os.close(self._ask)
        os.close(self._read)
        with contextlib.suppress(OSError):
            os.waitpid(self._pid, 0)


def _run_sentinel(signals: set[signal.Signals], questions: int, answers: int) -> NoReturn:
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
        while question := os.read(questions, 1):
            pending = signals & signal.sigpending()
            for number in pending if question == _TAKE else ():
                signal.sigwait({number})
            os.write(answers, bytes(pending) or b"\0")
    os._exit(0)


def _is_stopped(pid: int) -> bool:
    from dpkb.runner.processes import is_stopped  # its imports cost more than most commands

    return is_stopped(pid)


@contextlib.contextmanager
def forward_signals(pid: int, signals: set[signal.Signals], sentinel: Sentinel,
                    on_signal: Callable[[int], bool], suspend: Callable[[int], None]) -> Iterator[None]:
    """Forward signals to the process while the block runs. They must be blocked already.

    Calls on_signal(number) before it forwards a signal; if that returns True, it forwards the signal in any
    case. Calls suspend(number) when a signal has suspended the process: then dpkb has to suspend itself too,
    so that the shell notices.
    """
    forwarder = _Forwarder(pid, signals, sentinel, on_signal, suspend)
    thread = threading.Thread(target=forwarder.run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        forwarder.done.set()
        signal.pthread_kill(thread.ident or 0, min(signals))  # wakes only that thread
        thread.join()


class _Forwarder:
    """Waits for signals in a thread, and forwards them."""

    def __init__(self, pid: int, signals: set[signal.Signals], sentinel: Sentinel,
                 on_signal: Callable[[int], bool], suspend: Callable[[int], None]) -> None:
        self._pid, self._signals, self._sentinel = pid, signals, sentinel
        self._on_signal, self._suspend = on_signal, suspend
        self.done = threading.Event()
        # (number, sender) of a signal -> the time when it came last.
        self._last: dict[tuple[int, int], float] = {}
        # A signal that may suspend the process soon, and the time until which dpkb expects that.
        self._suspending, self._suspending_until = 0, 0.0

    def run(self) -> None:
        """Forward signals until `done` is set and one more signal wakes this thread."""
        while True:
            info = (signal.sigtimedwait(self._signals, 0.02) if self._suspending
                    else signal.sigwaitinfo(self._signals))
            if self.done.is_set():
                # A signal that ended the command must not end dpkb too: dpkb still has to report the end.
                while signal.sigtimedwait(self._signals, 0):
                    pass
                return
            now = time.monotonic()
            if info is not None:
                self._handle(info.si_signo, info.si_pid, now)
            # The command may ignore the signal. The kernel ignores it too if no shell could continue them.
            if self._suspending and _is_stopped(self._pid):
                self._suspend(self._suspending)
                self._suspending = 0
            elif now > self._suspending_until:
                self._suspending = 0

    def _handle(self, number: int, sender: int, now: float) -> None:
        """Forward one signal, unless the process has received it already."""
        always = self._on_signal(number)
        to_group = self._sentinel.has_received(number)
        # timeout(1) signals its child and then the group: that is one request.
        is_new = sender != self._pid and now - self._last.get((number, sender), 0.0) > _SAME_REQUEST_SECONDS
        if always or (is_new and not to_group):
            with contextlib.suppress(OSError):
                os.kill(self._pid, number)
        self._last[number, sender] = now
        if number in SUSPEND_SIGNALS:
            self._suspending, self._suspending_until = number, now + _SUSPEND_SECONDS
        elif number == signal.SIGCONT:
            self._suspending = 0
