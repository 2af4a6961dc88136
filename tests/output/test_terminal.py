"""Codes for bold and dim text, only where colour is wanted."""

from dpkb.output.terminal import ansi_codes


def test_without_colour_nothing_is_printed_around_text():
    assert ansi_codes(True) == ("\x1b[1m", "\x1b[2m", "\x1b[0m")
    assert ansi_codes(False) == ("", "", "")
