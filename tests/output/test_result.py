"""The result of one run as JSON."""

import pytest
from support.results import result

from dpkb.model import Outcome
from dpkb.output.result import result_fields


@pytest.mark.parametrize(("outcome", "kept"), [
    (Outcome.RAISED, True), (Outcome.HUNG, True), (Outcome.KILLED, True), (Outcome.INVALID, True),
    (Outcome.WRONG_RESULT, False), (Outcome.HEALTHY, False), (Outcome.SKIPPED, False)])
def test_stderr_is_kept_where_it_explains_the_outcome(outcome, kept):
    assert bool(result_fields(result(outcome=outcome, log="Traceback"))["stderr"]) is kept
