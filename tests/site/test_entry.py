"""The words and tables of an entry's page, one at a time."""

import pytest

from dpkb.site.entry import grid_table, observed_words


@pytest.mark.parametrize(("observed", "words"), [
    ({"healthy": False, "distinct": 2, "peak_mb": 3.14159}, "distinct: 2; peak MB: 3.142"),
    ({"healthy": True, "steps_by_rank": [5, 7]}, "steps by rank: 5, 7"),
    ({"crop_by_worker_and_epoch": [[1, 2], [3, 4]]}, "crop by worker and epoch: 1, 2 | 3, 4"),
    ({"names": [], "seen": {"a": True, "b": [1]}, "none": None}, "names: ; seen: a: yes, b: 1; none: None"),
    ({"healthy": True}, ""), (None, ""),
])
def test_the_numbers_of_a_run_in_words(observed, words):
    assert observed_words(observed) == words


def test_a_grid_is_a_table_and_its_text_stays_text():
    table = grid_table("crop_by_worker_and_epoch", {"crop_by_worker_and_epoch": [["<b>", 1]]})
    assert "<tr><td>worker 0</td><td>&#60;b&#62;</td><td>1</td></tr>" in table and "epoch 1" in table
    assert grid_table("distinct", {"distinct": 2}) == ""
