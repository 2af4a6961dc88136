"""The summary of many results: counts, pairs, contradictions, and whether anything is proven."""

import pytest
from support.results import result

from dpkb.judge.summary import count_reproduced_pairs, count_verdicts, find_disagreements, is_proven
from dpkb.run_records import Verdict

CONFIRMED, REFUTED, SKIPPED, INCONCLUSIVE = (
    Verdict.CONFIRMED,
    Verdict.REFUTED,
    Verdict.SKIPPED,
    Verdict.INCONCLUSIVE,
)


def test_every_verdict_is_counted_even_if_it_did_not_occur():
    counts = count_verdicts([result("broken", CONFIRMED), result("fixed", CONFIRMED), result("x", SKIPPED)])
    assert counts == {"confirmed": 2, "refuted": 0, "inconclusive": 0, "skipped": 1}


def test_a_pair_counts_if_both_ran_and_is_reproduced_if_every_run_was_confirmed():
    results = [
        result("broken", CONFIRMED),
        result("fixed", CONFIRMED),
        result("fixed", REFUTED),
        result("broken", CONFIRMED, id="ZZ2"),
        result("fixed", CONFIRMED, id="ZZ2"),
        result("broken", CONFIRMED, id="ZZ3"),
        result("trap_x", REFUTED, id="ZZ2"),
    ]
    assert count_reproduced_pairs(results) == (1, 2)


def test_runs_of_one_script_that_disagree_are_named():
    results = [
        result("broken", CONFIRMED),
        result("broken", REFUTED),
        result("fixed", CONFIRMED),
        result("fixed", CONFIRMED),
    ]
    assert find_disagreements(results) == [("ZZ1", "broken", {"confirmed", "refuted"})]


@pytest.mark.parametrize(
    ("verdicts", "proven"),
    [
        ([], False),
        ([SKIPPED], False),
        ([CONFIRMED], True),
        ([CONFIRMED, SKIPPED], True),
        ([CONFIRMED, REFUTED], False),
        ([CONFIRMED, INCONCLUSIVE], False),
    ],
)
def test_skipped_is_never_success(verdicts, proven):
    assert is_proven([result("broken", verdict) for verdict in verdicts]) is proven
