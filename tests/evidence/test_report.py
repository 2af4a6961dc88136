"""Summaries of recorded runs: for one entry, and for a catalogue."""

from dataclasses import replace

import pytest
from support import write_catalogue
from support.results import HERE, result

from dpkb.catalogue.load import load
from dpkb.evidence import report, store
from dpkb.run_records import Verdict


@pytest.fixture
def entry(tmp_path):
    return load([write_catalogue(tmp_path)]).find_entry("ZZ1")


@pytest.fixture
def ran(entry, tmp_path):
    """ran(torch, verdict, affected): the pair ran on this torch; ran.evidence(): all of it."""

    def record(torch, *results, date="2026-01-02"):
        store.record(results, replace(HERE, torch=torch), [entry], tmp_path, date)

    record.evidence = lambda: store.load(tmp_path)
    return record


def pair(verdict=Verdict.CONFIRMED, affected=True):
    return [result(name, verdict, affected=affected) for name in ("broken", "fixed")]


def test_a_summary_names_versions_oldest_first_and_the_newest_day(entry, ran):
    ran("2.4.1+cu121", *pair(), date="2026-03-04")
    ran("1.13.1", *pair(affected=False), date="2026-05-06")
    ran("2.10.0", *pair())
    assert report.summarize_runs(entry, ran.evidence()) == (
        "seen on torch 2.4.1, 2.10.0, absent on 1.13.1; last run 2026-05-06"
    )
    assert report.group_versions_by_state(entry, ran.evidence()) == {
        "not affected": ["1.13.1"],
        "confirmed": ["2.4.1", "2.10.0"],
    }


def test_a_version_counts_once_however_often_it_was_run(entry, ran):
    for torch in ("2.4.1", "2.4.1+cpu", "2.4.1+cu121"):
        ran(torch, *pair())
    assert report.summarize_runs(entry, ran.evidence()).startswith("seen on torch 2.4.1; ")


@pytest.mark.parametrize("results", [[], [result("broken")], pair(Verdict.REFUTED), pair(Verdict.SKIPPED)])
def test_a_state_that_no_run_showed_is_left_out(entry, ran, results):
    ran("2.4.1", *results)
    assert report.summarize_runs(entry, ran.evidence()) == ""
    refuted = bool(results) and results[0].verdict is Verdict.REFUTED
    by_state = report.group_versions_by_state(entry, ran.evidence())
    assert by_state == ({"refuted": ["2.4.1"]} if refuted else {})


def test_a_run_for_one_claim_is_not_broad(tmp_path):
    folder = tmp_path / "catalogue"
    for number in range(4):
        write_catalogue(folder, f"ZZ{number}")
    entries = list(load([folder]))
    for torch, count in (("1.8.1", 1), ("2.0.1", 2), ("2.4.1", 4)):
        results = [replace(one, id=entry.id) for entry in entries[:count] for one in pair()]
        store.record(results, replace(HERE, torch=torch), entries, tmp_path, "2026-01-02")
    broad = report.select_broad(store.load(tmp_path), iter(entries))
    assert [one.torch for one in broad] == ["2.0.1", "2.4.1"]
    assert report.select_broad([], entries) == []
