"""The verdict table: one claim, one outcome, the versions it was seen on."""

from pathlib import Path

import pytest

from dpkb.judge.verdict import judge
from dpkb.model import LinePattern, Outcome, Script, VersionRange
from dpkb.run_records import Verdict

NEW, OLD = {"torch": "2.15.0+cpu", "python": "3.11.7"}, {"torch": "1.8.1", "python": "3.8.18"}
HEALTHY, WRONG, RAISED = Outcome.HEALTHY, Outcome.WRONG_RESULT, Outcome.RAISED
UNHEALTHY = [WRONG, RAISED, Outcome.HUNG, Outcome.KILLED]
LINES = ["RuntimeError: stack expects each tensor to be equal size"]


def script(shows=HEALTHY, patterns=(), **ranges):
    return Script(
        "ZZ1",
        "broken",
        Path("broken.py"),
        "it fails",
        shows,
        tuple(patterns),
        VersionRange(tuple(ranges.items())),
    )


def verdict(declared, outcome, versions=NEW, lines=()):
    return judge(declared, outcome, "detail", list(lines), versions).verdict


@pytest.mark.parametrize("shows", [HEALTHY, WRONG, Outcome.HUNG, Outcome.KILLED])
@pytest.mark.parametrize("outcome", [HEALTHY, *UNHEALTHY])
def test_inside_its_range_only_the_declared_outcome_confirms(shows, outcome):
    expected = Verdict.CONFIRMED if outcome is shows else Verdict.REFUTED
    assert verdict(script(shows), outcome, lines=LINES) is expected


@pytest.mark.parametrize("shows", [HEALTHY, *UNHEALTHY])
@pytest.mark.parametrize("ranges", [{}, {"torch": "<1.9"}])
def test_a_run_without_a_result_confirms_nothing(shows, ranges):
    declared = script(shows, [LinePattern(".*")], **ranges)
    assert verdict(declared, Outcome.SKIPPED) is Verdict.SKIPPED
    assert verdict(declared, Outcome.TIMED_OUT) is Verdict.INCONCLUSIVE
    assert verdict(declared, Outcome.INVALID) is Verdict.INCONCLUSIVE


@pytest.mark.parametrize("outcome", [HEALTHY, *UNHEALTHY])
def test_outside_its_range_a_failure_must_not_be_seen(outcome):
    declared = script(WRONG, torch="<1.9")
    expected = Verdict.CONFIRMED if outcome is HEALTHY else Verdict.REFUTED
    assert verdict(declared, outcome, NEW) is expected
    assert not judge(declared, outcome, "", [], NEW).affected
    assert judge(declared, outcome, "", [], OLD).affected


@pytest.mark.parametrize("outcome", [HEALTHY, *UNHEALTHY])
def test_outside_its_range_a_fix_must_not_work(outcome):
    expected = Verdict.REFUTED if outcome is HEALTHY else Verdict.CONFIRMED
    assert verdict(script(HEALTHY, torch=">=1.13"), outcome, OLD) is expected


def test_an_error_is_confirmed_by_its_text_only():
    declared = script(RAISED, [LinePattern("stack expects .* equal size")])
    assert verdict(declared, RAISED, lines=LINES) is Verdict.CONFIRMED
    assert verdict(declared, RAISED, lines=["ValueError: another"]) is Verdict.REFUTED
    assert verdict(declared, WRONG, lines=LINES) is Verdict.REFUTED


def test_the_text_of_another_version_does_not_confirm():
    declared = script(
        RAISED,
        [
            LinePattern("old text", VersionRange((("torch", "<2"),))),
            LinePattern("new text", VersionRange((("torch", ">=2"),))),
        ],
    )
    assert verdict(declared, RAISED, NEW, ["E: new text"]) is Verdict.CONFIRMED
    assert verdict(declared, RAISED, NEW, ["E: old text"]) is Verdict.REFUTED
    assert verdict(declared, RAISED, OLD, ["E: old text"]) is Verdict.CONFIRMED


def test_a_version_for_which_no_text_is_declared_is_not_confirmed():
    declared = script(RAISED, [LinePattern("old text", VersionRange((("torch", "<2"),)))])
    assert verdict(declared, RAISED, NEW, ["E: old text"]) is Verdict.REFUTED


@pytest.mark.parametrize(
    ("specifier", "version", "inside"),
    [
        ("<1.9", "1.8.2", True),
        ("<1.9", "1.9.0", False),
        ("<2.5", "2.4.1+cu121", True),
        (">=2.6", "2.6.0a0+ecf3bae40a.nv25.01", True),
        (">=1.9,<2.5", "2.5.0", False),
        (">=2.0", None, True),
    ],
)
def test_ranges_compare_release_numbers(specifier, version, inside):
    assert VersionRange((("torch", specifier),)).covers({"torch": version}) is inside


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (HEALTHY, "a healthy run"),
        (WRONG, "a wrong result"),
        (RAISED, "an error: detail"),
        (Outcome.HUNG, "a hang: detail"),
        (Outcome.KILLED, "a death by signal: detail"),
        (Outcome.TIMED_OUT, "stopped by dpkb: detail"),
        (Outcome.INVALID, "invalid: detail"),
        (Outcome.SKIPPED, "detail"),
    ],
)
def test_the_outcome_is_put_in_words_with_its_detail(outcome, words):
    assert judge(script(), outcome, "detail", [], NEW).seen == words
