"""Turns Ctrl-C and termination signals into an event while a block runs."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator

from dpkb.errors import Stopped

_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")


@contextlib.contextmanager
def stop_on_signals(stop: threading.Event | None = None) -> Iterator[threading.Event]:
    """Set an event when Ctrl-C or a termination signal comes while the block runs; then raise Stopped.

    Ignored signals stay ignored (nohup). Afterwards the former handlers are restored. stop: the event; it
    can be set elsewhere too. By default, a new event.
    """
    stop = stop or threading.Event()
    former = {}
    try:
        if threading.current_thread() is threading.main_thread():
            for name in _SIGNALS:
                number = getattr(signal, name, None)
                if number and signal.getsignal(number) not in (signal.SIG_IGN, None):
                    former[number] = signal.signal(number, lambda *_: stop.set())
        yield stop
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
    if stop.is_set():
        raise Stopped
