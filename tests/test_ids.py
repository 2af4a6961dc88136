"""What the id of an entry says."""

import pytest

from dpkb.ids import family_of, is_triage, normalize_id, order_of


def test_families_are_together_and_numbers_in_order():
    assert sorted(["DP10", "A2", "DP9", "D11"], key=order_of) == ["A2", "D11", "DP9", "DP10"]


@pytest.mark.parametrize(
    ("name", "entry_id"),
    [
        ("dp15", "DP15"),
        ("DP-15", "DP15"),
        ("dp_15", "DP15"),
        ("DP 15", "DP15"),
        ("dp", "DP"),
        ("15", "15"),
        ("bus error", "BUS ERROR"),
        ("", ""),
    ],
)
def test_an_id_is_understood_however_it_is_written(name, entry_id):
    assert normalize_id(name) == entry_id


@pytest.mark.parametrize(
    ("entry_id", "family", "triage"),
    [("DP15", "DP", False), ("Q1", "Q", True), ("Q10", "Q", True), ("QA1", "QA", False)],
)
def test_the_family_of_an_entry_and_whether_it_leads_to_others(entry_id, family, triage):
    assert family_of(entry_id) == family and is_triage(entry_id) is triage
