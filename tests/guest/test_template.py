"""What a fork of the template does like the interpreter. The running template: tests/runner."""

import os
import socket
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="scripts are forked on Linux only")


@pytest.fixture(scope="module")
def template():
    from dpkb.guest import template

    return template


@pytest.mark.parametrize(("end", "code", "said"), [
    ((), 0, ""), ((None,), 0, ""), ((0,), 0, ""), ((3,), 3, ""), ((-1,), 255, ""), ((256,), 0, ""),
    ((2**70,), 255, ""), ((True,), 1, ""), (("no GPU",), 1, "no GPU\n"), ((3.0,), 1, "3.0\n"),
    (((1, 2),), 1, "(1, 2)\n"),
])
def test_the_exit_code_is_that_of_the_interpreter(template, capsys, end, code, said):
    assert template.exit_code(SystemExit(*end)) == code
    assert capsys.readouterr().err == said


def test_peer_pid_is_the_process_at_the_other_end(template):
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert template.peer_pid(ours) == os.getpid()
