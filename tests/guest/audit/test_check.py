"""How a check reports: once for each line of the user's code, and not without end."""

from types import SimpleNamespace

import pytest
from dpkb_audit.check import Check
from dpkb_audit.facts import Fact


class DP99(Check):
    """A check for a test."""

    description, fix = "nothing", "do it"


@pytest.fixture
def check():
    class Journal(list):
        def write(self, kind, **fields):
            self.append((kind, fields))

        def trace(self, name, data):
            self.append(("trace", {"id": name, "data": data}))

    audit = SimpleNamespace(
        training=SimpleNamespace(step=7),
        journal=Journal(),
        reader=SimpleNamespace(origin=None),
        process_fields=lambda: {"rank": 1, "worker": None, "pid": 5},
    )
    return DP99(audit)


def test_a_report_says_what_where_and_by_whom(check):
    check.report("likely", "it fails", ("train.py", 3), seen=8)
    assert check.audit.journal == [
        (
            "finding",
            {
                "id": "DP99",
                "certainty": "likely",
                "message": "it fails",
                "fix": "do it",
                "where": ("train.py", 3),
                "evidence": {"seen": 8},
                "step": 7,
                "rank": 1,
                "worker": None,
                "pid": 5,
            },
        )
    ]


def test_a_report_is_about_the_line_that_called_unless_it_names_one(check):
    check.report("likely", "it fails", fix="another")
    ((_, finding),) = check.audit.journal
    assert finding["where"][0] == __file__ and finding["fix"] == "another"


def test_one_line_is_reported_once_and_a_report_says_that_lines_are_left_out(check):
    for line in range(100):
        for _ in range(2):
            check.report("likely", "it fails", ("train.py", line))
    *findings, left_out = check.audit.journal
    places = [finding["where"] for _, finding in findings]
    assert len(places) == len(set(places)) == 20
    assert left_out == ("left_out", {"area": "lines with DP99 after the first 20"})


def test_each_check_keeps_its_own_things_with_a_loader(check):
    record, other = SimpleNamespace(kept={"DP98": 1}), SimpleNamespace(kept={})
    assert check.find_value(record) is None
    check.keep(record, [3])
    assert check.find_value(record) == [3] and check.find_value(other) is None
    assert record.kept == {"DP98": 1, "DP99": [3]}


@pytest.mark.parametrize("looking", [True, False])
def test_a_check_pauses_until_module_calls_only_while_they_are_not_looked_at(check, looking):
    calls = []
    check.audit.module_calls = SimpleNamespace(looking=looking)
    check.audit.dispatcher = SimpleNamespace(
        pause=lambda *call, until_calls=False: calls.append(
            ("pause until" if until_calls else "pause", *call)
        ),
        resume=lambda *call: calls.append(("resume", *call)),
    )
    check.pause_until_module_calls("loss")
    assert calls == ([] if looking else [("pause until", check, "loss")])
    check.pause("batch")
    check.resume("batch")
    assert calls[-2:] == [("pause", check, "batch"), ("resume", check, "batch")]


def test_facts_and_traces_are_kept_for_the_comparison(check):
    check.note(order=[1, 2])
    check.trace(b"x")
    (kind, fact), trace = check.audit.journal
    assert (kind, fact["id"], fact["step"], fact["fact"]) == ("fact", "DP99", 7, {"order": [1, 2]})
    assert trace == ("trace", {"id": "DP99", "data": b"x"})


def test_a_finding_of_a_comparison_has_the_same_fields():
    found = DP99.finding("certain", "they differ", ("train.py", 3), ranks=2)
    assert found == {
        "id": "DP99",
        "certainty": "certain",
        "message": "they differ",
        "fix": "do it",
        "where": ("train.py", 3),
        "evidence": {"ranks": 2},
    }
    assert list(DP99.compare([Fact({}, rank=0)])) == []
