"""What the id of an entry says."""

import pytest

from dpkb.ids import family_of, is_triage, order_of


def test_families_are_together_and_numbers_in_order():
    assert sorted(["DP10", "A2", "DP9", "D11"], key=order_of) == ["A2", "D11", "DP9", "DP10"]


@pytest.mark.parametrize(("entry_id", "family", "triage"), [
    ("DP15", "DP", False), ("Q1", "Q", True), ("Q10", "Q", True), ("QA1", "QA", False)])
def test_the_family_of_an_entry_and_whether_it_leads_to_others(entry_id, family, triage):
    assert family_of(entry_id) == family and is_triage(entry_id) is triage
