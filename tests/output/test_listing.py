"""Lists of entries as text and JSON."""

import json
from dataclasses import replace

import pytest
from support import ROOT, write_catalogue
from support.corpus import CORPUS

from dpkb.catalogue.load import load
from dpkb.output.listing import listing_fields, render_listing, summary_fields


@pytest.fixture
def entry(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    return load([write_catalogue(tmp_path / "catalogue")]).find_entry("ZZ1")


def test_the_table_of_entries_has_a_row_for_each(dpkb_in_process):
    shown = dpkb_in_process("list", "--json", cwd=ROOT).stdout
    assert [row["id"] for row in json.loads(shown)["entries"]] == list(load([ROOT]).entries)


def test_a_list_has_the_title_of_each_family_once(entry):
    second, third = replace(entry, id="ZZ2"), replace(entry, id="YY1", title="With \x1b in it")
    family = replace(next(iter(CORPUS.catalogue.families.values())), letters="ZZ", title="A family")
    text = render_listing((entry, second, third), {"ZZ": family})
    lines = [line.rstrip() for line in text.splitlines()]
    assert lines == [
        "",
        "A family  (dpkb show ZZ)",
        "ZZ1  silent  A failure made for a test",
        "ZZ2  silent  A failure made for a test",
        "YY1  silent  With \\x1b in it",
    ]


def test_a_list_marks_a_withdrawn_entry(entry):
    withdrawn = replace(entry, id="ZZ2", withdrawn="No torch does this any more.")
    lines = render_listing((entry, withdrawn), {}).splitlines()
    assert [line.startswith("ZZ2") for line in lines] == ["(withdrawn)" in line for line in lines]
    assert sum("(withdrawn)" in line for line in lines) == 1


def test_json_has_the_answer_and_the_recorded_runs(entry):
    (listed,) = listing_fields((entry,), ())["entries"]
    assert listed == {**summary_fields(entry), "in_short": "It was written for a test.", "recorded": {}}
