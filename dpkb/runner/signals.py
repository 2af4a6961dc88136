"""Signals on their way to a command: each one arrives at it once, as if dpkb were not there."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import NoReturn

# Signals that ask a program for something; the others are faults of its own, or cannot be caught.
_NAMES = ("HUP", "INT", "QUIT", "TERM", "USR1", "USR2", "ALRM", "VTALRM", "PROF", "TSTP", "CONT", "WINCH",
          "URG", "IO", "PWR", "TTIN", "TTOU")
# The sender is the kernel: Ctrl-C, a hangup, a new window size go to the whole process group.
_SI_KERNEL = 0x80
_ONE_REQUEST = 0.05
# Ctrl-Z, and reading from or writing to the terminal in the background.
STOPS = (signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU)
def forwarded_signals() -> set[signal.Signals]:
    """The signals that dpkb hands on. One that it was started to ignore (nohup) stays ignored."""
    known = (getattr(signal, f"SIG{name}", None) for name in _NAMES)
    return {number for number in known if number and signal.getsignal(number) is not signal.SIG_IGN}


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
        with contextlib.suppress(OSError):
            os.write(self._ask, b"?")
            self._got.update(os.read(self._read, 256))
        was_there = number in self._got
        self._got.discard(number)
        return was_there

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
        while os.read(questions, 1):
            got = signals & signal.sigpending()
            for number in got:
                signal.sigwait({number})
            os.write(answers, bytes(got) or b"\0")
    os._exit(0)


@contextlib.contextmanager
def forwarding(pid: int, signals: set[signal.Signals], sentinel: Sentinel,
               on_signal: Callable[[int], bool]) -> Iterator[None]:
    """Hand signals on to the process while the block runs. They must be blocked already.

    on_signal is called with each signal first; True: hand it on in any case.
    """
    done = threading.Event()
    last: dict[int, float] = {}

    def forward() -> None:
        while not done.is_set():
            info = signal.sigtimedwait(signals, 0.5)
            if info is None:
                continue
            number, now = info.si_signo, time.monotonic()
            always = on_signal(number)
            to_group = info.si_code == _SI_KERNEL or sentinel.has_got(number)
            # timeout(1) signals its child, and then the group: that is one request.
            is_new = info.si_pid != pid and now - last.get(number, 0.0) > _ONE_REQUEST
            if always or (is_new and not to_group):
                with contextlib.suppress(OSError):
                    os.kill(pid, number)
            last[number] = now
            if number in STOPS:
                os.kill(os.getpid(), signal.SIGSTOP)

    thread = threading.Thread(target=forward, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
