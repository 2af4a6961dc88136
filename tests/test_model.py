"""The records: ranges of versions, and which versions an entry affects."""

from dataclasses import replace

import pytest
from support import write_catalogue

from dpkb.catalogue.load import load
from dpkb.model import VersionRange, parse_release


@pytest.mark.parametrize(
    ("version", "number"),
    [
        ("2.4.1", "2.4.1"),
        ("2.4.1+cu121", "2.4.1"),
        ("2.6.0a0+git1", "2.6.0"),
        ("", None),
        ("main", None),
        ("9" * 5000, None),
    ],
)
def test_the_release_of_a_version(version, number):
    assert str(parse_release(version)) == str(number)


def test_a_range_needs_every_package_and_unknown_versions_do_not_exclude():
    both = VersionRange((("torch", ">=1.9,<2.5"), ("python", "<3.12")))
    assert both.covers({"torch": "2.4.1+cpu", "python": "3.11.7"})
    assert not both.covers({"torch": "2.4.1", "python": "3.12.0"})
    assert not both.covers({"torch": "2.5.0", "python": "3.11.7"})
    assert both.covers({"torch": None, "python": "3.11.7"}) and both.covers({})
    assert VersionRange().covers({"torch": "0.1"}) and str(both) == "torch >=1.9,<2.5, python <3.12"


@pytest.mark.parametrize(
    ("affects", "torch", "affected"),
    [
        ((("torch", "<2.0"),), "1.13.1", True),
        ((("torch", "<2.0"),), "2.4.1", False),
        ((("os", "linux"),), "2.4.1", True),
        ((), None, True),
    ],
)
def test_the_versions_that_an_entry_affects(tmp_path, affects, torch, affected):
    entry = replace(load([write_catalogue(tmp_path)]).find_entry("ZZ1"), affects=affects)
    assert entry.affects_versions({"torch": torch}) is affected
