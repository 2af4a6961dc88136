"""The outcome table, row by row, without a process."""

import pytest

from dpkb.judge.outcome import MAX_LINE, ScriptOutput, classify, classify_skip_reason
from dpkb.model import Outcome
from dpkb.run_records import ExceededLimit, Limit, Missing, ProcessEnd

GOOD = 'OBSERVED {"healthy": true}\n'
BAD = 'OBSERVED {"healthy": false, "of": 20}\n'
HEAD = "Traceback (most recent call last):\n"
TRACEBACK = HEAD + '  File "x.py", line 1, in <module>\n    boom()\nValueError: no\n'
THREAD = "Exception in thread Thread-1:\n" + HEAD + '  File "threading.py", line 1, in run\nValueError: no\n'
IGNORED = "Exception ignored in: <function f>\n" + HEAD + '  File "x.py", line 1, in f\nValueError: no\n'
TIMEOUT = "Timeout (0:00:30)!\nThread 0x00007f (most recent call first):\n"


def read(stdout="", stderr="", size=7):
    """A ScriptOutput that was fed in small pieces, as a live run does."""
    output = ScriptOutput()
    for stream, text in (("stdout", stdout), ("stderr", stderr)):
        data = text.encode()
        for start in range(0, len(data), size):
            output.feed(stream, data[start : start + size])
    output.close()
    return output


@pytest.mark.parametrize(
    ("ended", "stdout", "stderr", "expected"),
    [
        (ProcessEnd(0), GOOD, "", Outcome.HEALTHY),
        (ProcessEnd(0), "some words\n" + GOOD.rstrip(), "a warning\n", Outcome.HEALTHY),
        (ProcessEnd(0), GOOD.replace("\n", "\r\n"), "", Outcome.HEALTHY),
        (ProcessEnd(0), GOOD, IGNORED, Outcome.HEALTHY),
        (ProcessEnd(0), GOOD, TRACEBACK, Outcome.INVALID),
        (ProcessEnd(0), GOOD, THREAD, Outcome.INVALID),
        (ProcessEnd(0), GOOD, IGNORED + THREAD, Outcome.INVALID),
        (ProcessEnd(1), BAD, THREAD, Outcome.WRONG_RESULT),
        (ProcessEnd(1), "", THREAD, Outcome.INVALID),
        (ProcessEnd(1), BAD, "", Outcome.WRONG_RESULT),
        (ProcessEnd(1), BAD, TRACEBACK, Outcome.WRONG_RESULT),
        (ProcessEnd(1), "", TRACEBACK, Outcome.RAISED),
        (ProcessEnd(1), "OBSERVEDLY\n", TRACEBACK, Outcome.RAISED),
        (ProcessEnd(1), "", "ERROR: Unexpected bus error in worker.\n\0" + TRACEBACK, Outcome.RAISED),
        (ProcessEnd(1), "", TIMEOUT, Outcome.HUNG),
        (ProcessEnd(1), "", TIMEOUT + TRACEBACK, Outcome.HUNG),
        (ProcessEnd(None, 9), "", "", Outcome.KILLED),
        (ProcessEnd(None, 7), BAD, TRACEBACK, Outcome.KILLED),
        (ProcessEnd(77), "SKIPPED no GPU\n", "", Outcome.SKIPPED),
        (ProcessEnd(77), "", "", Outcome.INVALID),
        *(
            (ProcessEnd(None, exceeded=ExceededLimit(limit, "too much")), GOOD, "", Outcome.TIMED_OUT)
            for limit in Limit
        ),
        (ProcessEnd(None, error="it could not be started"), "", "", Outcome.INVALID),
        (ProcessEnd(None, error="the supervisor of the script was ended"), GOOD, "", Outcome.INVALID),
        (ProcessEnd(0), "", "", Outcome.INVALID),
        (ProcessEnd(1), "", "", Outcome.INVALID),
        (ProcessEnd(1), "", "it says Timeout (0:00:30)! in a line\n", Outcome.INVALID),
        (ProcessEnd(2), "", TRACEBACK, Outcome.INVALID),
        (ProcessEnd(0), "", TRACEBACK, Outcome.INVALID),
        (ProcessEnd(0), BAD, "", Outcome.INVALID),
        (ProcessEnd(1), GOOD, "", Outcome.INVALID),
        (ProcessEnd(3), BAD, "", Outcome.INVALID),
        (ProcessEnd(77), GOOD, "", Outcome.INVALID),
        (ProcessEnd(0), GOOD + GOOD, "", Outcome.INVALID),
        (ProcessEnd(1), BAD + BAD, "", Outcome.INVALID),
        (ProcessEnd(1), BAD * 1000, "", Outcome.INVALID),
        (ProcessEnd(0), "OBSERVED {\n", "", Outcome.INVALID),
        (ProcessEnd(0), "OBSERVED [true]\n", "", Outcome.INVALID),
        (ProcessEnd(0), 'OBSERVED {"healthy": 1}\n', "", Outcome.INVALID),
        (ProcessEnd(0), 'OBSERVED {"healthy": "true"}\n', "", Outcome.INVALID),
        (ProcessEnd(0), 'OBSERVED {"health": true}\n', "", Outcome.INVALID),
        (ProcessEnd(0), "", GOOD, Outcome.INVALID),
        (ProcessEnd(0), "OBSERVED " + "[" * 20_000 + "\n", "", Outcome.INVALID),
        *(
            (ProcessEnd(0), f'OBSERVED {{"healthy": true, "x": {value}}}\n', "", Outcome.INVALID)
            for value in (
                "NaN",
                "[1, Infinity]",
                "-Infinity",
                "1e999",
                "[" * 900 + "]" * 900,
                "[" * 9 + "]" * 9,
                '"\\ud800"',
                '1, "x": 1',
                '{"y": 1, "y": 2}',
                '1, "healthy": true',
            )
        ),
        (ProcessEnd(0), 'OBSERVED {"healthy": true, "x": ' + "[" * 7 + "]" * 7 + "}\n", "", Outcome.HEALTHY),
    ],
)
def test_each_row_of_the_table_has_its_outcome(ended, stdout, stderr, expected):
    assert classify(ended, read(stdout, stderr))[0] is expected


def test_a_huge_observed_line_is_invalid_and_not_kept():
    huge = 'OBSERVED {"healthy": true, "x": "' + "y" * (3 * MAX_LINE) + '"}\n'
    output = read(huge, size=65536)
    assert classify(ProcessEnd(0), output)[0] is Outcome.INVALID
    assert sum(map(len, output.observed_lines)) <= MAX_LINE + 1


def test_an_observed_line_that_is_refused_says_why():
    for value, reason in (
        ("NaN", "not valid JSON"),
        ('1, "x": 2', "a key occurs twice"),
        ("[" * 900 + "]" * 900, "nested deeper"),
    ):
        assert reason in classify(ProcessEnd(0), read(f'OBSERVED {{"healthy": true, "x": {value}}}\n'))[1]


def test_a_code_that_contradicts_the_observed_line_is_quoted_with_it():
    assert classify(ProcessEnd(0), read(BAD))[1] == "exit code 0, but OBSERVED says healthy: false"


def test_bytes_that_are_not_utf_8_are_refused():
    output = ScriptOutput()
    output.feed("stdout", b'OBSERVED {"healthy": true, "x": "\xff"}\n')
    assert classify(ProcessEnd(0), output)[0] is Outcome.INVALID and output.read_observed_or_none() is None


def test_the_reason_of_a_skip_is_its_text():
    assert classify(ProcessEnd(77), read("SKIPPED albumentations is not installed\n"))[1] == (
        "albumentations is not installed"
    )


@pytest.mark.parametrize(
    ("reason", "missing"),
    [
        ("lightning is not installed", Missing.PACKAGE),
        ("torchvision 0.16 or newer is not installed", Missing.PACKAGE),
        ("nccl needs a GPU for each of the 2 ranks", Missing.GPU),
        ("no CUDA device", Missing.GPU),
        ("this is not Linux", Missing.LINUX),
        ("warn_only came with torch 1.11", Missing.TORCH_VERSION),
        ("needs torch>=2.4", Missing.TORCH_VERSION),
        ("this torch has no ConstantLR", Missing.TORCH_VERSION),
        ("torch uses one thread on this machine anyway", Missing.OTHER),
        ("/dev/shm is 1 MB, this needs 4 MB", Missing.OTHER),
    ],
)
def test_the_words_of_a_skipped_line_say_what_is_missing(reason, missing):
    assert classify_skip_reason(reason) is missing
