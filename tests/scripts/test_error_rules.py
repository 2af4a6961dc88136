"""A script that fails for a reason of its own proves nothing about the code that it is about."""

import ast
from pathlib import Path

import pytest

from dpkb.model import LinePattern, Outcome, Script
from dpkb.scripts.error_rules import find_error_problems


def find_messages(code, shows=Outcome.RAISED, pattern="CUDA out of memory"):
    script = Script("ZZ1", "broken", Path("broken.py"), "it fails", shows, (LinePattern(pattern),))
    return [
        message for _, message in find_error_problems(ast.parse('"""CUDA out of memory."""\n' + code), script)
    ]


@pytest.mark.parametrize(
    ("code", "pattern"),
    [
        ("raise RuntimeError('CUDA out of memory')", "CUDA out of memory"),
        ("size = 3\nraise RuntimeError(f'CUDA out of memory: {size} GiB')", r"memory: \d+ GiB"),
        ("raise RuntimeError('out of memory: %d' % 3)", r"^RuntimeError: out of memory: \d+"),
        ("class Unsupported(Exception): pass\nraise Unsupported('no')", "Unsupported"),
        ("assert 1 > 2, 'sizes differ'", "sizes differ"),
        ("message = 'CUDA out of memory'", "CUDA out of memory"),
        ("check(1, 'CUDA out of memory')\ndef check(*_): pass", "CUDA out of memory"),
    ],
)
def test_the_message_is_written_in_the_script(code, pattern):
    assert find_messages(code, pattern=pattern) == [
        "writes the message of the error itself: call the code that raises it"
    ]
    assert find_messages(code, Outcome.WRONG_RESULT, pattern) == []


@pytest.mark.parametrize(
    "code",
    ["print('CUDA out of memory')", "raise OSError('no right')", "import os\nos.modules['CUDA'] = None"],
)
def test_other_texts_and_errors_are_fine(code):
    assert find_messages(code) == []


def test_a_name_that_is_defined_nowhere():
    code = "import os.path as p\ndef f(a, *b, **c):\n    return a, b, c, p, len\nfor x in f(y): print(x, __file__)"
    for shows in Outcome:
        assert find_messages(code, shows) == ["`y` is defined nowhere: define it, or correct the name"]
