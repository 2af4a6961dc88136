"""Signals stop a command, and their former handlers are restored."""

import os
import signal

import pytest

from dpkb.errors import Stopped
from dpkb.runner.stop_signals import stop_on_signals

posix = pytest.mark.skipif(os.name != "posix", reason="needs signals")


@posix
def test_a_signal_requests_a_stop_and_the_earlier_handlers_are_restored():
    seen = []
    before = signal.signal(signal.SIGTERM, lambda *_: seen.append("former"))
    try:
        with pytest.raises(Stopped), stop_on_signals() as stop:
            os.kill(os.getpid(), signal.SIGTERM)
            assert stop.wait(5) and not seen
        os.kill(os.getpid(), signal.SIGTERM)
        assert seen == ["former"]
    finally:
        signal.signal(signal.SIGTERM, before)


@posix
def test_an_ignored_signal_stays_ignored():
    """As under nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with stop_on_signals() as stop:
            os.kill(os.getpid(), signal.SIGHUP)
            assert not stop.wait(0.2)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_an_error_has_priority_over_the_stop_and_the_handlers_are_restored():
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(ZeroDivisionError), stop_on_signals() as stop:
        stop.set()
        raise ZeroDivisionError
    assert signal.getsignal(signal.SIGINT) is before
