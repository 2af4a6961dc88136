"""A diff for the terminal: whole lines, without control characters."""

from dpkb.output.diff import render_diff


def test_a_diff_cannot_steer_the_terminal():
    lines = render_diff(["--- a", "+++ b", "@@ -1 +1 @@", "-old\x1b[31m", "+" + "new " * 50]).splitlines()
    assert lines[3:] == ["-old\\x1b[31m", "+" + "new " * 50], "a line of code is never wrapped"


def test_lines_have_colours_by_their_first_character(monkeypatch):
    for name, value in (("FORCE_COLOR", "1"), ("NO_COLOR", ""), ("TERM", "xterm-256color")):
        monkeypatch.setenv(name, value)
    heading, removed, added, same = render_diff(["--- a", "-old", "+new", " same"]).splitlines()
    assert heading.startswith("\x1b[1m") and removed.startswith("\x1b[31m")
    assert added.startswith("\x1b[32m") and same == " same"
