"""Which entry comes first of those that share a signature, and how much its match counts."""

import pytest
from support import write_catalogue

from dpkb.catalogue.load import load
from dpkb.catalogue.owners import RECORDED_SCORE, STRONG_SCORE, WEAK_SCORE, group_owner_ids, score_of
from dpkb.model import LinePattern


def test_the_owner_whose_title_quotes_the_message_comes_first(tmp_path):
    search = (
        "keywords: [a, b, c]\nasked_as: [why one, why two, why three]\nsignatures: [{match: walrus lost}]\n"
    )
    for entry_id in ("ZZ1", "ZZ2"):
        write_catalogue(tmp_path, entry_id, search=search)
    (page,) = (tmp_path / "kb").glob("zz2_*.md")
    page.write_text(page.read_text().replace("title: A failure", "title: walrus lost, a failure", 1))
    assert list(group_owner_ids(load([tmp_path])).values()) == [["ZZ2", "ZZ1"]]


@pytest.mark.parametrize(
    ("signature", "score"),
    [
        (LinePattern("x"), STRONG_SCORE),
        (LinePattern("x", weak=True), WEAK_SCORE),
        (LinePattern("x", is_recorded=True), RECORDED_SCORE),
    ],
)
def test_a_match_counts_by_its_kind(signature, score):
    assert score_of(signature) == score
