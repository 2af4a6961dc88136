"""Text made safe and wrapped for a terminal."""

import codecs
import sys
from types import SimpleNamespace

import pytest

from dpkb.text import count_of, escape_controls, join_lines, name_file, replace_with_ascii, wrap

codecs.register_error("dpkb", replace_with_ascii)


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("a\tb\nc", "a\tb\nc"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\rb", "ab"),
        ("\x00\x07\x9b", "\\x00\\x07\\x9b"),
        ("x\u202ey", "x\\u202ey"),
        ("\u200bz", "\\u200bz"),
        ("é 增强", "é 增强"),
        ("\ud800", "\\ud800"),
        ("\ufffe\uffff\ufffd", "\\ufffe\\uffff\ufffd"),
    ],
)
def test_escaped_text_has_no_control_character(text, safe):
    assert escape_controls(text) == safe


def test_a_number_with_its_noun():
    assert [count_of(n, "file") for n in (0, 1, 2)] == ["0 files", "1 file", "2 files"]
    assert count_of(1, "batch", "batches") == "1 batch" and count_of(2, "batch", "batches") == "2 batches"


def test_text_is_shortened_to_one_line_or_wrapped():
    assert join_lines("a\n  b", 10) == "a b"
    assert join_lines("abcdefghij", 5) == "abcd…"
    assert wrap("one two three", 9, "  ") == "  one two\n  three"
    assert wrap("", 9, "  ") == "  "


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("✓ – …", "+ - ."),
        ("é增\U0001f525", "\\xe9\\u589e\\U0001f525"),
        ("a", "a"),
    ],
)
def test_a_mark_that_a_terminal_lacks_is_replaced_by_a_similar_one_or_its_code(text, shown):
    assert text.encode("ascii", "dpkb").decode() == shown


def test_only_text_that_cannot_be_written_is_replaced():
    with pytest.raises(UnicodeDecodeError):
        b"\xff".decode("ascii", "dpkb")


def test_a_cell_has_the_name_that_ipython_gives_it(monkeypatch):
    assert name_file("train.py") == "train.py"
    names = {"/tmp/ipykernel_1/2.py": ("Cell", "In[3]")}
    shell = SimpleNamespace(compile=SimpleNamespace(format_code_name=names.get))
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    assert [name_file(name) for name in (*names, "train.py")] == ["Cell In[3]", "train.py"]
    shell.compile = object()  # IPython 7
    assert name_file("train.py") == "train.py"
