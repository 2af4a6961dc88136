"""Entries and families as a reader sees them, and as JSON."""

import json
from dataclasses import replace

import pytest
from support import ENTRY, write_catalogue
from support.corpus import CORPUS

from dpkb.catalogue.load import load
from dpkb.evidence import store
from dpkb.evidence.report import summarize_runs
from dpkb.model import LinePattern, SimilarEntry, VersionRange
from dpkb.output.entry import (
    entry_fields,
    render_entry,
    render_family,
    render_first_screen,
    view_fields,
)
from dpkb.output.listing import summary_fields
from dpkb.paths import find_built_in_catalogue
from dpkb.views import EntryView, FamilyView

PAGE = """
## In short

It was **written** for a test.

- **Check:** `dpkb check`, which is long enough to be wrapped where a window has only sixty columns, as here.
- **Fix:** use the other script.

```python fixed
import json
value = json.loads("2")
```

## Which case is yours?

| You see | It is | Do |
|---|---|---|
| `healthy` is false | this entry | the other script |
| nothing at all | a window that is too narrow for three columns of text, each with words | make it wider |

## Symptom

A symptom.

## Fix

Another fix.

## How to check your own code

Look closely.

## Why it happens

A test needs it.
"""


def catalogue_with_page(folder, body=PAGE):
    """A catalogue of one entry with this page."""
    head = ENTRY.partition("\n## In short")[0].format(id="ZZ1", shows="wrong-result", extra="")
    return write_catalogue(folder, entry=head + body)


def test_show_starts_with_the_answer(dpkb_in_process, tmp_path):
    folder = catalogue_with_page(tmp_path / "catalogue")
    shown = dpkb_in_process("show", "zz1", "--kb", folder, env={"COLUMNS": "100"}).stdout
    lines = [line.rstrip() for line in shown.splitlines()]
    assert lines[0].startswith("ZZ1  silent · affects torch >=1.8")
    assert lines[1] == "A failure made for a test"
    assert '    value = json.loads("2")' in lines
    assert "Look closely." in lines and "A symptom." not in lines and "Another fix." not in lines
    assert lines[-1] == "All of it: dpkb show ZZ1 --all" and len(lines) <= 40


def test_show_leaves_out_the_check_where_a_screen_has_no_room(dpkb_in_process, tmp_path):
    long = "\n\n".join(f"Line {number}." for number in range(30))
    folder = catalogue_with_page(tmp_path / "catalogue", PAGE.replace("Look closely.", long))
    shown = dpkb_in_process("show", "ZZ1", "--kb", folder, env={"COLUMNS": "100"}).stdout
    assert "Line 1." not in shown and "How to check" not in shown
    assert "Line 29." in dpkb_in_process("show", "ZZ1", "--all", "--kb", folder).stdout


def test_show_all_has_every_section(dpkb_in_process):
    done = dpkb_in_process("show", "dp15", "--all", env={"COLUMNS": "100"})
    assert done.returncode == 0
    for heading in (
        "In short",
        "Symptom",
        "Fix",
        "How to check your own code",
        "Why it happens",
        "Or is it another entry?",
        "See it on your machine",
        "dpkb repro DP15 --fixed",
        "Sources",
        "https://",
    ):
        assert heading in done.stdout, heading


@pytest.mark.parametrize("width", [60, 80, 100])
def test_a_table_of_a_page_is_readable(dpkb_in_process, tmp_path, width):
    """In columns if the window is wide enough, else row by row; with every word, and no line too long."""
    folder = catalogue_with_page(tmp_path / "catalogue")
    shown = dpkb_in_process("show", "ZZ1", "--kb", folder, env={"COLUMNS": str(width)}).stdout
    table = shown.partition("Which case is yours?\n")[2].partition("\n\n")[0]
    assert max(map(len, shown.splitlines())) <= width
    if width == 60:
        assert " •  nothing at all" in table or " • nothing at all" in table
        assert "It is: a window that is too narrow" in table
    else:
        assert table.split("\n")[0].split() == ["You", "see", "It", "is", "Do"]
    for word in "healthy false entry narrow columns wider".split():
        assert word in table


@pytest.fixture
def entry(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    return load([write_catalogue(tmp_path / "catalogue")]).find_entry("ZZ1")


def view(entry, recorded_runs="", torch=None, **titles):
    return EntryView(entry, recorded_runs, {"torch": torch}, titles)


def test_the_head_says_what_is_known(entry):
    known = replace(entry, unseen="it leaves no trace", withdrawn="no torch does \x1bthis any more")
    lines = render_first_screen(
        view(known, "seen on torch 1.8.1, 1.13.1, 2.0.1, 2.4.1, absent on 2.5.1, 2.6.0", "2.4.1")
    ).splitlines()
    assert lines[:5] == [
        "ZZ1  silent · affects torch >=1.8 · torch 2.4.1 here is affected",
        "A failure made for a test",
        "seen on torch 1.8.1 … 2.4.1, absent on 2.5.1, 2.6.0",
        "Neither lint nor audit finds it: it leaves no trace",
        "Withdrawn: no torch does \\x1bthis any more",
    ]


def test_the_answer_of_each_entry_fits_a_screen(monkeypatch):
    """40 lines in an ordinary window and in a wide one, with all that the head can say."""
    catalogue = load([find_built_in_catalogue()])
    evidence = store.load(*catalogue.folders)
    for columns in (80, 100):
        monkeypatch.setenv("COLUMNS", str(columns))
        heights = {
            entry.id: render_first_screen(view(entry, summarize_runs(entry, evidence), "2.15.0")).count("\n")
            + 1
            for entry in catalogue
        }
        assert {entry_id: height for entry_id, height in heights.items() if height > 40} == {}, columns
        assert max(heights.values()) > 30


def test_links_to_other_entries_have_their_titles(entry):
    known = replace(entry, see_also=("ZZ3", "ZZ4"), confused_with=(SimilarEntry("ZZ2", "Look **twice**."),))
    words = " ".join(render_entry(view(known, ZZ2="The other one", ZZ3="A third one")).split())
    assert "Or is it another entry? ZZ2 The other one Look twice." in words
    assert "See also ZZ3 A third one ZZ4 Sources a source https://example.org/" in words


def test_each_script_has_its_command_its_versions_and_its_claim(entry):
    broken, fixed = entry.scripts
    known = replace(entry, scripts=(replace(broken, range=VersionRange((("torch", ">=2.0"),))), fixed))
    shown = render_entry(view(known)).partition("See it on your machine\n")[2].splitlines()
    assert [line.strip() for line in shown[:4]] == [
        "✗ dpkb repro ZZ1  (torch >=2.0)",
        "it fails",
        "✓ dpkb repro ZZ1 --fixed",
        "it works",
    ]
    assert "See also" not in shown


def test_json_has_the_fields_of_a_list_and_more(entry):
    signature = LinePattern("^x", VersionRange((("torch", "<2"),)), weak=True, near="y")
    fields = view_fields(view(replace(entry, signatures=(signature,)), "seen", "2.4.1"))
    assert all(fields[name] == summary_fields(entry)[name] for name in ("id", "title", "kind", "found_by"))
    assert fields["signatures"] == [{"match": "^x", "torch": "<2", "weak": True, "near": "y"}]
    path = str(entry.find_script("broken").path)
    assert fields["scripts"]["broken"] == {
        "claim": "it fails",
        "shows": "wrong result",
        "path": path,
        "patterns": [],
    }
    assert (fields["seen"], fields["here"], fields["affects"]) == (
        "seen",
        "torch 2.4.1 here is affected",
        {"torch": ">=1.8"},
    )
    assert json.loads(json.dumps(fields)) == fields


def test_every_entry_of_the_catalogue_is_json():
    for one in CORPUS.catalogue:
        fields = entry_fields(one)
        assert json.loads(json.dumps(fields)) == fields, one.id


def test_a_family_has_its_text_and_its_entries(entry):
    family = next(iter(CORPUS.catalogue.families.values()))
    shown = render_family(FamilyView(family, (entry,)))
    assert shown.startswith(f"{family.letters}  {family.title}") and "Its entries\nZZ1  silent" in shown
    fields = view_fields(FamilyView(family, (entry,)))
    assert fields["entries"] == [summary_fields(entry)] and set(fields["sections"]) == {
        "When to suspect it",
        "What to run first",
    }
