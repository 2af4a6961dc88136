"""Changes that change the fingerprint of a script, and others that do not."""

import io
import re
import tokenize
from pathlib import Path

import pytest

from dpkb.scripts.fingerprint import STRING_OR_COMMENT, compute_fingerprint

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = '''"""ZZ1: it fails.

Why it fails.

Symptom: 3 of 4
Needs:   torch; cpu; about 2 s
Run:     python broken.py
"""

import sys

text = """a

  b  # c
"""
name = f"{text}#{len(text)} it's"
print(name)
'''


def changed(old, new, source=SCRIPT):
    assert old in source
    return compute_fingerprint(source.replace(old, new)) != compute_fingerprint(source)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("print(name)", "print(name)  # a comment"),
        ("print(name)", "# it's a comment\nprint(name)"),
        ("import sys", "# first\n\n\nimport sys   "),
        ("it fails.", "it breaks."),
        ("Why it fails.\n\n", ""),
        ("Symptom: 3 of 4", "Symptom: 4 of 4"),
        ("Needs:   torch", "Needs: torch"),
        ('"""ZZ1', '# coding: utf-8\nr"""ZZ1'),
        ('"""\n\nimport', '"""  # that was it\nimport'),
        ("\n", "\r\n"),
        ("\n", "\r"),
        ("print(name)\n", "print(name)"),
    ],
)
def test_a_change_of_words_keeps_the_fingerprint(old, new):
    assert not changed(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("print(name)", "print(text)"),
        ("print(name)", "if name:\n    print(name)"),
        ("about 2 s", "about 3 s"),
        ("; cpu;", "; cuda;"),
        ("#{len", "# {len"),
        ("b  # c", "b  # d"),
        ("a\n\n", "a\n"),
        ("  b", "b"),
        ("b  # c\n", "b  # c \n"),
        ("it's", 'it\\"s'),
        ("\nimport sys", '\n"""Needs: numpy"""\nimport sys'),
        ('"""\n\nimport', '""".strip()\nimport'),
        ('"""ZZ1', 'f"""ZZ1'),
    ],
)
def test_a_change_of_the_code_or_its_needs_changes_the_fingerprint(old, new):
    assert changed(old, new)


@pytest.mark.parametrize("source", ["", "x = 'open", 'x = """open', "x = 1\0", "'''", '"' * 7])
def test_any_text_has_a_fingerprint(source):
    assert re.fullmatch("[0-9a-f]{16}", compute_fingerprint(source))


def test_a_text_that_is_not_python_counts_with_its_comments():
    assert compute_fingerprint("x = 'open  # one") != compute_fingerprint("x = 'open  # two")


def test_a_fingerprint_never_changes():
    """Recorded evidence depends on it: written here once, and the same on every Python."""
    assert compute_fingerprint(SCRIPT) == "e8ae99e8757252a8"


def test_comments_are_those_that_python_sees():
    compared = 0
    for path in sorted((ROOT / "reproducers").glob("*/*.py")):
        source = path.read_text(encoding="utf-8")
        try:
            tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
        except (tokenize.TokenError, SyntaxError):
            continue
        python = [token.string for token in tokens if token.type == tokenize.COMMENT]
        assert [token[0] for token in STRING_OR_COMMENT.finditer(source) if token["comment"]] == python, path
        compared += 1
    assert compared > 400
