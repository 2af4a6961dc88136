"""The terminal: colour only if the user wants it, and text as wide as the window."""

import contextlib
import io
import os
import sys

import pytest

from dpkb.output.terminal import choose_ansi_codes, count_columns, wants_colour

posix = pytest.mark.skipif(os.name != "posix", reason="Windows has no pseudo-terminals")


@pytest.fixture
def terminal(monkeypatch):
    """A stream to a pseudo-terminal that understands colour; no variable asks for anything else."""
    monkeypatch.setenv("TERM", "xterm-256color")
    for name in ("NO_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    master, slave = os.openpty()
    with contextlib.closing(os.fdopen(slave, "w")) as stream:
        yield stream
    os.close(master)


def test_codes_are_empty_without_colour():
    assert choose_ansi_codes(True) == ("\x1b[1m", "\x1b[2m", "\x1b[0m")
    assert choose_ansi_codes(False) == ("", "", "")


@posix
def test_a_terminal_wants_colour(terminal):
    assert wants_colour(terminal) is True


@posix
@pytest.mark.parametrize(
    ("name", "value", "wanted"),
    [
        ("NO_COLOR", "1", False),
        ("NO_COLOR", "0", False),
        ("NO_COLOR", "", True),
        ("TERM", "dumb", False),
        ("TERM", "", True),
    ],
)
def test_variables_switch_the_colour_of_a_terminal_off(name, value, wanted, terminal, monkeypatch):
    monkeypatch.setenv(name, value)
    assert wants_colour(terminal) is wanted


@posix
def test_output_to_a_pipe_or_a_file_has_no_colour(terminal, tmp_path):
    reader, writer = os.pipe()
    with os.fdopen(reader), os.fdopen(writer, "w") as pipe, (tmp_path / "file").open("w") as file:
        assert [wants_colour(stream) for stream in (pipe, file, io.StringIO())] == [False] * 3


@pytest.mark.parametrize(
    ("window", "width"), [("80", 80), ("7", 7), ("100", 100), ("101", 100), ("300", 100)]
)
def test_text_is_as_wide_as_the_window_but_never_wider_than_100_columns(window, width, monkeypatch):
    monkeypatch.setenv("COLUMNS", window)
    assert count_columns() == width


@posix
@pytest.mark.parametrize(("window", "width"), [(63, 63), (180, 100)])
def test_the_width_is_that_of_the_terminal_of_standard_output(window, width, terminal, monkeypatch):
    import fcntl
    import struct
    import termios

    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, window, 0, 0))
    # shutil.get_terminal_size asks the original standard output.
    monkeypatch.setattr(sys, "__stdout__", terminal)
    assert count_columns() == width
