"""What a forked script does like the interpreter. The running fork server: tests/runner."""

import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="scripts are forked on Linux only")


@pytest.fixture(scope="module")
def fork_server():
    from dpkb.guest import fork_server

    return fork_server


@pytest.mark.parametrize(
    ("end", "code", "said"),
    [
        ((), 0, ""),
        ((None,), 0, ""),
        ((0,), 0, ""),
        ((3,), 3, ""),
        ((-1,), 255, ""),
        ((256,), 0, ""),
        ((2**70,), 255, ""),
        ((True,), 1, ""),
        (("no GPU",), 1, "no GPU\n"),
        ((3.0,), 1, "3.0\n"),
        (((1, 2),), 1, "(1, 2)\n"),
    ],
)
def test_the_exit_code_is_that_of_the_interpreter(fork_server, capsys, end, code, said):
    assert fork_server.find_exit_code(SystemExit(*end)) == code
    assert capsys.readouterr().err == said
