"""Values of a YAML tree: a wrong one is a problem with its line and key, and read as empty."""

from pathlib import Path

import pytest

from dpkb.catalogue.fields import FieldReader
from dpkb.catalogue.frontmatter import load
from dpkb.model import LinePattern, VersionRange


def asked(question, text):
    """The value that a reader returns for the key `x`, and the problems that it reports."""
    reader = FieldReader(Path("x.md"), [])
    answer = question(reader, load(text).value["x"])
    return answer, [(problem.line, problem.key, problem.message) for problem in reader.problems]


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        (FieldReader.read_text, "x: ' a '", "a"),
        (lambda r, x: r.read_texts(x, 2), "x: [a, b]", ("a", "b")),
        (lambda r, x: r.read_choice(x, ["a", "b"]), "x: b", "b"),
        (FieldReader.read_flag, "x: true", True),
        (FieldReader.read_id, "x: DP15", "DP15"),
        (FieldReader.read_regex, "x: '\\d+'", r"\d+"),
        (
            lambda r, x: r.read_range(x.value, ("other",)),
            "x: {python: '<3.12', torch: '>=1.9,<2.5', other: 1}",
            VersionRange((("python", "<3.12"), ("torch", ">=1.9,<2.5"))),
        ),
        (
            lambda r, x: r.read_pattern(x, "weak", "near"),
            "x: {match: a, torch: '<2', weak: true, near: b}",
            LinePattern("a", VersionRange((("torch", "<2"),)), True, "b"),
        ),
        (lambda r, x: sorted(r.read_mapping(x, ("a",), ("b",))), "x: {a: 1, b: 2}", ["a", "b"]),
    ],
)
def test_a_right_value_is_read(question, text, answer):
    assert asked(question, text) == (answer, [])


@pytest.mark.parametrize(
    ("question", "text", "answer", "key", "says"),
    [
        (FieldReader.read_text, "x: 2.4", "", "x", "must be text, is the float 2.4"),
        (FieldReader.read_text, "x: ' '", "", "x", "must not be empty"),
        (FieldReader.read_items, "x: a", [], "x", "must be a list, is text"),
        (lambda r, x: r.read_texts(x, 2), "x: [a]", ("a",), "x", "needs at least 2, has 1"),
        (lambda r, x: r.read_texts(x, 1), "x: [[a]]", ("",), "x[0]", "must be text, is a list"),
        (lambda r, x: r.read_choice(x, ["a", "b"]), "x: c", "c", "x", "must be one of a, b, is 'c'"),
        (FieldReader.read_flag, "x: 1", False, "x", "must be true or false"),
        (FieldReader.read_id, "x: dp15", "dp15", "x", "'dp15' is not an id"),
        (FieldReader.read_regex, "x: '(?=a)b'", "(?=a)b", "x", "not a pattern that RE2 accepts"),
        (
            lambda r, x: r.read_range(x.value, ("other",)),
            "x: {torch: '=>2'}",
            VersionRange(),
            "x.torch",
            "'=>2' is not a version range",
        ),
        (
            lambda r, x: r.read_range(x.value, ("other",)),
            f"x: {{torch: '>=1.{'9' * 5000}'}}",
            VersionRange(),
            "x.torch",
            "is longer than 100 characters",
        ),
        (lambda r, x: r.read_mapping(x, (), ()), "x: [a]", {}, "x", "must be a mapping, is a list"),
        (
            lambda r, x: list(r.read_mapping(x, (), ("a",))),
            "x: {b: 1}",
            [],
            "x.b",
            "unknown key; known are a",
        ),
        (lambda r, x: list(r.read_mapping(x, ("a",))), "x: {}", [], "x.a", "this key is missing"),
        (lambda r, x: r.read_pattern(x).match, "x: {match: a, weak: true}", "a", "x.weak", "unknown key"),
    ],
)
def test_a_wrong_value_is_reported_with_its_key(question, text, answer, key, says):
    found, problems = asked(question, text)
    ((line, where, message),) = problems
    assert (found, line, where) == (answer, 2, key) and message.startswith(says)


def test_an_optional_field_that_is_left_out_is_empty():
    problems = []
    reader = FieldReader(Path("x.md"), problems)
    assert (
        reader.read_text(None),
        reader.read_items(None),
        reader.read_texts(None, 3),
        reader.read_flag(None),
        reader.read_id(None),
        reader.read_regex(None),
        reader.read_mapping(None, ("a",)),
        reader.read_choice(None, []),
    ) == ("", [], (), False, "", "", {}, "")
    assert problems == []
