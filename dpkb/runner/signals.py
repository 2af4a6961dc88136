"""Signals on their way to a command: each one arrives at it once, as if dpkb were not there."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import NoReturn

# Signals that ask a program for something; the others report faults of the program, or cannot be caught.
_NAMES = ("HUP", "INT", "QUIT", "TERM", "USR1", "USR2", "ALRM", "VTALRM", "PROF", "TSTP", "CONT", "WINCH",
          "URG", "IO", "PWR", "TTIN", "TTOU")
_ONE_REQUEST = 0.05
# Ctrl-Z, and reading from or writing to the terminal in the background.
STOPS = (signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU)
# How long a command may take to stop after such a signal: an editor restores the screen first.
_TIME_TO_STOP = 10.0
# The questions to a sentinel: which signals it has got, to be forgotten then or not.
_TAKE, _LOOK = b"t", b"l"


def forwarded_signals() -> set[signal.Signals]:
    """The signals that dpkb hands on; also one that it was started to ignore, as by nohup.

    The command ignores that too, unless it has a handler for it.
    """
    known = (getattr(signal, f"SIG{name}", None) for name in _NAMES)
    return {number for number in known if number}


class Sentinel:
    """A process of the same process group that says which signals it has got.

    It tells a signal sent to the whole group, which the command gets by itself, from one sent to dpkb
    alone, which has to be handed on.
    """

    def __init__(self, signals: set[signal.Signals]) -> None:
        questions, self._ask = os.pipe()
        self._read, answers = os.pipe()
        self._got: set[int] = set()
        self._pid = os.fork()
        if self._pid == 0:
            _answer(signals, questions, answers)
        os.close(questions)
        os.close(answers)

    def has_got(self, number: int) -> bool:
        """Whether the sentinel has got this signal too, since the last time it was asked for it."""
        time.sleep(0.002)  # the kernel may still be on its way through the group
        self._got |= self._answer_to(_TAKE)
        was_there = number in self._got
        self._got.discard(number)
        return was_there

    def missed_by_child(self) -> set[int]:
        """In a child that was forked after the sentinel: the signals that its group got before that fork."""
        return self._answer_to(_LOOK) - {*signal.sigpending(), *STOPS}

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


def _answer(signals: set[signal.Signals], questions: int, answers: int) -> NoReturn:
    """The sentinel's whole life. Its signals are blocked, and wait to be asked for."""
    # It must not keep a pipe open that the command or its reader waits for the end of.
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    for name in os.listdir("/proc/self/fd"):
        if int(name) > 2 and int(name) not in (questions, answers):
            with contextlib.suppress(OSError):
                os.close(int(name))
    with contextlib.suppress(OSError):
        while question := os.read(questions, 1):
            got = signals & signal.sigpending()
            for number in got if question == _TAKE else ():
                signal.sigwait({number})
            os.write(answers, bytes(got) or b"\0")
    os._exit(0)


def _is_stopped(pid: int) -> bool:
    from dpkb.runner.processes import is_stopped  # its imports cost more than most commands

    return is_stopped(pid)


@contextlib.contextmanager
def forwarding(pid: int, signals: set[signal.Signals], sentinel: Sentinel,
               on_signal: Callable[[int], bool], stop: Callable[[int], None]) -> Iterator[None]:
    """Hand signals on to the process while the block runs. They must be blocked already.

    on_signal is called with each signal first; True: hand it on in any case. stop(number) is called when
    such a signal has stopped the process: dpkb has to stop as well, so that the shell sees it.
    """
    forwarder = _Forwarder(pid, signals, sentinel, on_signal, stop)
    thread = threading.Thread(target=forwarder.run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        forwarder.done.set()
        signal.pthread_kill(thread.ident or 0, min(signals))  # wakes it; only that thread gets it
        thread.join()


class _Forwarder:
    """Waits for signals in a thread, and hands them on."""

    def __init__(self, pid: int, signals: set[signal.Signals], sentinel: Sentinel,
                 on_signal: Callable[[int], bool], stop: Callable[[int], None]) -> None:
        self._pid, self._signals, self._sentinel = pid, signals, sentinel
        self._on_signal, self._stop = on_signal, stop
        self.done = threading.Event()
        # The number and the sender of a signal -> when it came last.
        self._last: dict[tuple[int, int], float] = {}
        # The signal that may be about to stop the process, and until when that is expected.
        self._stopping, self._stopping_until = 0, 0.0

    def run(self) -> None:
        while True:
            info = (signal.sigtimedwait(self._signals, 0.02) if self._stopping
                    else signal.sigwaitinfo(self._signals))
            if self.done.is_set():
                # The signal that has ended the command must not end dpkb before it has reported that.
                while signal.sigtimedwait(self._signals, 0):
                    pass
                return
            now = time.monotonic()
            if info is not None:
                self._take(info.si_signo, info.si_pid, now)
            # A command may ignore the signal, and so does the kernel where no shell could continue it.
            if self._stopping and _is_stopped(self._pid):
                self._stop(self._stopping)
                self._stopping = 0
            elif now > self._stopping_until:
                self._stopping = 0

    def _take(self, number: int, sender: int, now: float) -> None:
        """Hand one signal on, unless the process has got it already."""
        always = self._on_signal(number)
        to_group = self._sentinel.has_got(number)
        # timeout(1) signals its child, and then the group: that is one request.
        is_new = sender != self._pid and now - self._last.get((number, sender), 0.0) > _ONE_REQUEST
        if always or (is_new and not to_group):
            with contextlib.suppress(OSError):
                os.kill(self._pid, number)
        self._last[number, sender] = now
        if number in STOPS:
            self._stopping, self._stopping_until = number, now + _TIME_TO_STOP
        elif number == signal.SIGCONT:
            self._stopping = 0
