"""What one session leaves behind."""

import signal

from dpkb.runner.session import open_session


def test_a_session_leaves_no_handler_behind():
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for _ in range(2):
        with open_session(None, "cpu", 10) as session:
            assert signal.getsignal(signal.SIGINT) is not before[signal.SIGINT]
            assert not session.stop.is_set()
    assert {number: signal.getsignal(number) for number in before} == before
