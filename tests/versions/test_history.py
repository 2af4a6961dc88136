"""Borders: which releases are said to lack something."""

import pytest
from support.wheels import read_history

from dpkb.versions.history import Answer, allowed, find_missing, release_indexes, specifier

BY_SIGN = {"1": Answer.YES, "0": Answer.NO, "r": Answer.RAISES, "?": Answer.UNKNOWN}


@pytest.mark.parametrize(
    ("answers", "missing"),
    [
        ("0011", "xx.."),
        ("0?11", "xx.."),  # the border is where it is known
        ("11?0", "...x"),  # perhaps still given, with a warning
        ("10?", ".xx"),
        ("1?1", "..."),
        ("?11", "..."),  # nothing says that the first lacks it
        ("0?0?1", "xxxx."),
        ("11rr", "..xx"),
        ("?0", ".."),  # no release is known to have it: no border
        ("00", "xx"),
        ("??", ".."),
    ],
)
def test_what_is_missing(answers, missing):
    assert find_missing([BY_SIGN[sign] for sign in answers]) == [sign == "x" for sign in missing]


@pytest.fixture
def history(tmp_path):
    return read_history(tmp_path, {v: {"__init__.py": ""} for v in ("1.0.3", "1.1.0", "1.2.5", "2.0.1")})


@pytest.mark.parametrize(
    ("good", "text"),
    [
        ("1111", None), ("0000", None), ("0111", ">=1.1"), ("1100", "<1.2"), ("0110", ">=1.1,<2.0"), ("1011", "!=1.1.*"),
    ],
)  # fmt: skip
def test_ranges(history, good, text):
    assert specifier(history, [sign == "1" for sign in good]) == text


@pytest.mark.parametrize(
    ("version", "indexes"),
    [
        ("1.1.9", [1]), ("1.2.0+cu121", [2]), ("2.0.0.dev1", [2, 3]), ("2.1.0.dev1", [3]), ("2.1.0", []), ("0.9", []),
        ("nonsense", []),
    ],
)  # fmt: skip
def test_the_releases_that_tell_what_a_version_has(history, version, indexes):
    assert release_indexes(history, version) == indexes


@pytest.mark.parametrize(
    ("requirement", "expected"),
    [
        ("==1.1.4", "0100"), ("==1.1.*", "0100"), (">=1.2", "0011"), ("~=1.1", "0110"), ("<2", "1110"), ("nonsense", "1111"),
    ],
)  # fmt: skip
def test_the_releases_that_a_requirement_allows(history, requirement, expected):
    assert "".join(str(int(a)) for a in allowed(history, requirement)) == expected
