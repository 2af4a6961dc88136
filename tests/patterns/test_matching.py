"""Patterns alone and many at once; that no text makes them slow is in tests/catalogue."""

import re

import pytest

from dpkb.patterns import matching


@pytest.mark.parametrize(
    ("pattern", "line", "matches"),
    [
        ("bus error", "a bus error here", True),
        ("^bus", "a bus", False),
        ("(?i)BUS", "a bus", True),
        (r"\d+ of \d+", "3 of 12", True),
        ("a.c", "a\u00e9c", True),
        ("", "", True),
    ],
)
def test_a_pattern_matches_anywhere_in_a_line(pattern, line, matches):
    assert matching.has_match(pattern, line) is matches
    assert (matching.PatternSet([pattern]).matches(line) == [0]) is matches


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("(", "missing )"),
        (r"(a)\1", "invalid escape sequence"),
        ("(?=a)", "invalid perl operator"),
        ("a{1001}", "invalid repetition size"),
        ("[", "missing ]"),
    ],
)
def test_a_pattern_that_re2_does_not_support_is_refused_with_a_reason(pattern, why):
    with pytest.raises(matching.BadPattern, match=re.escape(why)):
        matching.compile_pattern(pattern)


def test_a_set_names_every_pattern_that_matches():
    several = matching.PatternSet(["error", "nothing", "bus", "^a"])
    assert several.matches("a bus error") == [0, 2, 3] and several.matches("") == []
    assert matching.PatternSet([]).matches("a") == []


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("^error", b"rank0: error"),
        ("error$", b"error (pid 7)"),
        (r"\Aerror\z", b"an error."),
        (r"[$^]error", b"$error"),
        (r"\$error", b"$error"),
        (r"\Q^\Eerror", b"^error"),
    ],
)
def test_a_filter_is_looser_than_its_patterns_at_the_ends_of_a_line(pattern, text):
    assert matching.PatternFilter([pattern]).find(text, 0) is not None


def test_a_filter_finds_the_next_place_within_a_line():
    places = matching.PatternFilter(["b.s", "error"])
    text = b"a\nb\ns error\nbus"
    assert places.find(text, 0) == 6, "b.s does not go on over the end of a line"
    assert places.find(text, 7) == 12 and places.find(text, 13) is None
    assert matching.PatternFilter([]).find(text, 0) is None
