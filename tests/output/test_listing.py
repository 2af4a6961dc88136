"""Lists of entries as text, Markdown and JSON."""

from dataclasses import replace

import pytest
from support import ROOT, write_catalogue
from support.corpus import CORPUS

from dpkb.catalogue.load import load
from dpkb.output.listing import listing_fields, render_listing, render_markdown_listing, summary_fields
from dpkb.views import Listing


@pytest.fixture
def entry(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    return load([write_catalogue(tmp_path / "catalogue")]).find_entry("ZZ1")


def test_the_table_of_entries_has_a_row_for_each(dpkb_in_process):
    rows = dpkb_in_process("list", "--markdown", cwd=ROOT).stdout.strip().splitlines()[2:]
    assert [row.split("](")[1].split(")")[0] for row in rows] == [
        f"kb/{entry.path.name}" for entry in load([ROOT])
    ]


def test_a_list_has_the_title_of_each_family_once(entry):
    second, third = replace(entry, id="ZZ2"), replace(entry, id="YY1", title="With \x1b in it")
    family = replace(next(iter(CORPUS.catalogue.families.values())), letters="ZZ", title="A family")
    text = render_listing(Listing((entry, second, third), {"ZZ": family}))
    lines = [line.rstrip() for line in text.splitlines()]
    assert lines == [
        "",
        "A family  (dpkb show ZZ)",
        "ZZ1  silent  A failure made for a test",
        "ZZ2  silent  A failure made for a test",
        "YY1  silent  With \\x1b in it",
    ]


def test_a_list_marks_a_withdrawn_entry(entry):
    listing = Listing((entry, replace(entry, id="ZZ2", withdrawn="No torch does this any more.")), {})
    text = render_listing(listing) + render_markdown_listing(listing)
    lines = [line.rstrip() for line in text.splitlines()]
    assert [line.startswith("ZZ2") or "[ZZ2]" in line for line in lines] == [
        "(withdrawn)" in line for line in lines
    ]
    assert sum("(withdrawn)" in line for line in lines) == 2


def test_json_has_the_answer_and_the_recorded_runs(entry):
    (listed,) = listing_fields(Listing((entry,), {}))["entries"]
    assert listed == {**summary_fields(entry), "in_short": "It was written for a test.", "recorded": {}}


def test_a_title_cannot_break_the_table(entry):
    table = render_markdown_listing(Listing((replace(entry, title="a | b\nc"),), {}))
    assert table.splitlines()[2] == "| [ZZ1](kb/zz1_made.md) | a \\| b c | silent | 2 |"
