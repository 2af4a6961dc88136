"""The result of one run: as JSON, and its verdict in words."""

import json

import pytest
from support.results import ENVIRONMENT_KEYS, HERE, RESULT_KEYS, result

from dpkb.model import Outcome
from dpkb.output.result import STYLES, describe_verdict, environment_fields, result_fields
from dpkb.run_records import Limit, Verdict


@pytest.mark.parametrize(
    ("outcome", "kept"),
    [
        (Outcome.RAISED, True),
        (Outcome.HUNG, True),
        (Outcome.KILLED, True),
        (Outcome.INVALID, True),
        (Outcome.WRONG_RESULT, False),
        (Outcome.HEALTHY, False),
        (Outcome.SKIPPED, False),
    ],
)
def test_stderr_is_kept_where_it_explains_the_outcome(outcome, kept):
    fields = result_fields(result(outcome=outcome, log="Traceback"))
    assert fields["stderr"] == ("Traceback" if kept else "")
    assert fields["outcome"] == outcome.value


def test_a_result_has_all_its_fields_as_plain_json_values():
    one = result(
        "trap_x",
        Verdict.REFUTED,
        outcome=Outcome.RAISED,
        expected="a hang",
        seen="an error: x",
        affected=False,
        observed={"healthy": False, "steps": [5, 7]},
        seconds=2.5,
        log="x\n",
    )
    fields = result_fields(one)
    assert set(fields) == RESULT_KEYS
    assert json.loads(json.dumps(fields)) == {
        "id": "ZZ1",
        "script": "trap_x",
        "claim": "it fails",
        "outcome": "raised",
        "verdict": "refuted",
        "affected": False,
        "expected": "a hang",
        "seen": "an error: x",
        "observed": {"healthy": False, "steps": [5, 7]},
        "seconds": 2.5,
        "stderr": "x\n",
        "limit": None,
        "packages": {},
    }
    assert result_fields(result(limit=Limit.MEMORY))["limit"] == "memory"


def test_an_environment_has_its_versions_and_nothing_of_the_users_folders():
    fields = environment_fields(HERE)
    assert set(fields) == ENVIRONMENT_KEYS
    assert (fields["torch"], fields["torchvision"], fields["python"]) == ("2.4.1+cu121", None, "3.11.7")


@pytest.mark.parametrize(
    ("verdict", "affected", "words"),
    [
        (Verdict.CONFIRMED, True, "confirmed"),
        (Verdict.CONFIRMED, False, "confirmed (not affected here)"),
        (Verdict.REFUTED, True, "refuted"),
        (Verdict.REFUTED, False, "refuted"),
        (Verdict.INCONCLUSIVE, True, "inconclusive"),
        (Verdict.SKIPPED, False, "skipped"),
    ],
)
def test_only_a_confirmed_result_says_that_the_version_is_not_affected(verdict, affected, words):
    assert describe_verdict(result(verdict=verdict, affected=affected)) == words


def test_every_verdict_has_a_style():
    assert set(STYLES) == set(Verdict)
