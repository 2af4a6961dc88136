"""Patterns in words and as a line that they match: small ones, and all of the catalogue."""

import re

import pytest

from dpkb.catalogue.load import load
from dpkb.paths import find_built_in_catalogue
from dpkb.patterns import matching
from dpkb.patterns.wording import find_fixed_texts, put_in_words, write_example


@pytest.mark.parametrize(
    ("pattern", "words", "example"),
    [
        (
            r"^DataLoader worker \(pid(?:\(s\))? \d+\) exited$",
            "DataLoader worker (pid(s) …) exited",
            "DataLoader worker (pid(s) 1) exited",
        ),
        (r"connect \[127\.0\.\d\.1\]:\d+\b", "connect [127.0.….1]:…", "connect [127.0.1.1]:1"),
        (r"got [\[(]1, 4[\])], .{1,3}inf", "got [1, 4], …inf", "got [1, 4],  inf"),
        (r"size of [\d, ]+ or '[^']+'", "size of … or '…'", "size of 1 or '1'"),
        (r"[Ll]oss\s*[A-Z]+: nan", "Loss …: nan", "Loss A: nan"),
        ("(Missing|Unexpected) key", "(Missing or Unexpected) key", "Missing key"),
        ("(?i)bus error|(?:Killed|(?P<n>out (of)?|))!", "bus error or (Killed or out of)!", "bus error"),
        (r"a \|\| b \?", "a || b ?", "a || b ?"),
        (r"shape '\[-1(, \d+){2,}\]'", "shape '[-1, …, …]'", "shape '[-1, 1, 1]'"),
        (r"\Qa.b(\E[[:digit:]]+\z", "a.b(…", "a.b(1"),
        ("(" * 400 + "a" + ")" * 400, "a", "a"),
        ("(|)", "", ""),
    ],
)
def test_a_pattern_in_words_and_as_a_line_that_it_matches(pattern, words, example):
    assert (put_in_words(pattern), write_example(pattern)) == (words, example)
    assert matching.has_match(pattern, example)


def test_the_words_of_every_pattern_of_the_catalogue_have_no_syntax():
    all_patterns = {
        pattern.match
        for entry in load([find_built_in_catalogue()])
        for pattern in (
            *entry.signatures,
            *(pattern for script in entry.scripts for pattern in script.patterns),
        )
    }
    assert len(all_patterns) > 400
    for pattern in all_patterns:
        # A reading that is right for an example is right for the words too: only the wildcards differ.
        assert matching.has_match(pattern, write_example(pattern)), pattern
        syntax = re.compile(r"\\|\)\?|[\])]\+|\[(\^|0-9|A-Z|\\w)" + ("" if r"\|" in pattern else r"|\|"))
        assert not syntax.search(put_in_words(pattern)), pattern


@pytest.mark.parametrize(
    ("pattern", "fixed"),
    [
        (r"Bus error", ["bus error"]),
        (r"^took (\d+) steps, (?:then )?failed", [" steps, "]),
        (r"a+bc|size of (one|two) is", ["bc", "size of "]),
        (r"(?i)Dtype[, ]+(, but got X|$)\.", ["dtype"]),
        (r"x{2}yz{0,3}w\Q.*\E", ["w.*"]),
        (r"(a|b)*", [""]),
        (r"(abc|)d", ["d"]),
    ],
)
def test_what_every_matching_line_contains(pattern, fixed):
    assert find_fixed_texts(pattern) == fixed


def test_no_line_of_a_signature_lacks_its_fixed_texts():
    signatures = [s for entry in load([find_built_in_catalogue()]) for s in entry.signatures]
    assert len(signatures) > 300
    for signature in signatures:
        fixed, example = find_fixed_texts(signature.match), signature.example
        if matching.has_match(signature.match, example):
            assert any(part in example.lower() for part in fixed), signature.match
