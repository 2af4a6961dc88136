"""The entries that benchmarks make are such as dpkb reads: else they would measure how it leaves them out."""

from support import ROOT

from bench import search, site
from dpkb.catalogue.check import check
from dpkb.catalogue.load import load


def test_generated_entries_can_be_read(tmp_path):
    search.generate(tmp_path, 5)
    catalogue = load([tmp_path])
    assert len(catalogue.entries) == 5 and catalogue.problems == []


def test_copies_of_entries_are_as_good_as_they(tmp_path):
    real = list(load([ROOT]))
    site.copies(tmp_path, real, len(real) + 2)
    catalogue = load([ROOT, tmp_path])
    assert len(catalogue.entries) == 2 * len(real) + 2
    assert check(catalogue, [tmp_path]) == []
    assert len(list((tmp_path / "evidence").iterdir())) == len(list((ROOT / "evidence").glob("*.json")))
