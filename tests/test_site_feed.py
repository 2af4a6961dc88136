"""The feed: what changed of an entry and on which day, from a record beside the entries."""

import json
import xml.etree.ElementTree as ElementTree

import browser
import pytest
from conftest import ENTRY, ROOT, write_catalogue

from dpkb import evidence, site, site_feed
from dpkb.catalogue import load
from dpkb.entry import Environment, Outcome, Result, Verdict
from dpkb.errors import DpkbError

ATOM = "{http://www.w3.org/2005/Atom}"


def record(folder, day):
    return site.record(load([folder]), evidence.load(folder), folder, day)


def changes(folder):
    return [(change.day, *change.what) for change in site_feed.read(folder)["X1"].changes]


def ran(folder, torch, shows=Outcome.WRONG_RESULT):
    here = Environment("/usr/bin/python", "3.11.7", torch, None, "linux", "cpu")
    (entry,) = load([folder])
    runs = [Result(entry.id, name, "claim", outcome, Verdict.CONFIRMED, "", "", True, {"healthy": False}, 1.0)
            for name, outcome in (("broken", shows), ("fixed", Outcome.HEALTHY))]
    evidence.record(runs, here, [entry], folder, "2026-01-02")


def feed(folder):
    """The items of the feed, as a reader parses them: title, day, summary, address."""
    root = ElementTree.fromstring(site_feed.atom(load([folder]), site_feed.read(folder)))
    assert root.find(f"{ATOM}updated").text == root.find(f"{ATOM}entry/{ATOM}updated").text
    ids = [item.find(f"{ATOM}id").text for item in root.findall(f"{ATOM}entry")]
    assert len(set(ids)) == len(ids)
    return [(item.find(f"{ATOM}title").text, item.find(f"{ATOM}updated").text[:10],
             item.find(f"{ATOM}summary").text, item.find(f"{ATOM}link").get("href"))
            for item in root.findall(f"{ATOM}entry")]


def edit(path, before, after):
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after))


@pytest.fixture
def made(tmp_path):
    return write_catalogue(tmp_path / "made")


def test_each_kind_of_change_is_told_with_its_day(made):
    page, script = made / "kb/x1_made.md", made / "reproducers/x1_made/broken.py"
    assert record(made, "2026-01-01") == ["X1"]
    assert record(made, "2026-01-02") == []
    edit(page, "It is there.", "It is still there.")
    record(made, "2026-01-03")
    edit(script, "value = 1", "value = 3")
    record(made, "2026-01-04")
    ran(made, "2.4.1")
    record(made, "2026-01-05")
    ran(made, "2.4.1")
    assert record(made, "2026-01-06") == []
    edit(page, "kind: silent", "kind: silent\nwithdrawn: no <torch> does this")
    record(made, "2026-01-07")
    summary, name = "It does what the test says.", "A failure made for a test"
    assert [(title, day, told) for title, day, told, _ in feed(made)] == [
        (f"X1, withdrawn: {name}", "2026-01-07", "Withdrawn: no <torch> does this"),
        (f"X1, changed what runs have shown: {name}", "2026-01-05", summary),
        (f"X1, changed scripts: {name}", "2026-01-04", summary),
        (f"X1, changed text: {name}", "2026-01-03", summary),
        (f"X1, new: {name}", "2026-01-01", summary),
    ]
    assert {address for *_, address in feed(made)} == {"entries/x1.html"}


def test_what_runs_have_shown_is_told_with_the_news_of_it(made):
    record(made, "2026-01-01")
    ran(made, "2.4.1")
    record(made, "2026-01-02")
    assert feed(made)[0][2] == "It does what the test says. Runs: seen on torch 2.4.1."


def test_one_day_is_one_piece_of_news(made):
    record(made, "2026-01-01")
    edit(made / "kb/x1_made.md", "It is there.", "It is still there.")
    record(made, "2026-01-01")
    assert changes(made) == [("2026-01-01", "new")]
    for number in range(2):
        edit(made / "kb/x1_made.md", "It is still", "It is still, still")
        edit(made / "reproducers/x1_made/fixed.py", "value = ", f"value = {number}")
        record(made, "2026-01-02")
    assert changes(made) == [("2026-01-01", "new"), ("2026-01-02", "text", "scripts")]


def test_where_runs_are_not_at_hand_they_have_not_changed(made):
    ran(made, "2.4.1")
    record(made, "2026-01-01")
    for file in (made / "evidence").iterdir():
        file.unlink()
    assert record(made, "2026-01-02") == []


def test_without_a_record_there_is_no_feed_and_it_is_said(made):
    site.write(load([made]), [], made / "pages", site_feed.read(made))
    assert not (made / "pages/feed.xml").exists()
    assert "no feed of changes" in (made / "pages/index.md").read_text()
    record(made, "2026-01-01")
    site.write(load([made]), [], made / "pages", site_feed.read(made))
    assert (made / "pages/feed.xml").exists()
    assert "[feed of changes](feed.xml)" in (made / "pages/index.md").read_text()


def test_line_endings_are_no_change(made):
    record(made, "2026-01-01")
    for path in (made / "kb/x1_made.md", made / "reproducers/x1_made/broken.py"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert record(made, "2026-01-02") == []


def test_an_entry_that_cannot_be_read_for_now_keeps_its_history(made):
    record(made, "2026-01-01")
    edit(made / "kb/x1_made.md", "id: X1", "id: [")
    record(made, "2026-01-02")
    edit(made / "kb/x1_made.md", "id: [", "id: X1")
    assert record(made, "2026-01-03") == [] and changes(made) == [("2026-01-01", "new")]


def test_from_the_command_line(dpkb, made):
    there = ["--out", made / "pages", "--kb", made]
    done = dpkb("site", *there, cwd=made)
    assert done.returncode == 0 and "X1, new" not in (made / "pages/feed.xml").read_text()
    done = dpkb("site", "--record", *there)
    assert done.returncode == 0 and "1 changes recorded for the feed" in done.stderr
    assert "X1, new" in (made / "pages/feed.xml").read_text()
    before = (made / "kb/changes.json").read_bytes()
    edit(made / "kb/x1_made.md", "It is there.", "It is still there.")
    done = dpkb("site", *there)
    assert done.returncode == 0 and "changed since the feed was recorded" in done.stderr
    assert site_feed.unrecorded(load([made]), [made]) == ["X1"]
    assert (made / "kb/changes.json").read_bytes() == before


@pytest.mark.parametrize("text", [
    "", "[]", "{", '{"version": 2, "entries": {}}', '{"version": 1, "entries": []}',
    '{"version": 1, "entries": {"X1": {"text": "", "scripts": "", "runs": "", "changes": []}}}',
    '{"version": 1, "entries": {"X1": {"text": "", "scripts": "", "runs": "", '
    '"changes": [["<b>", ["new"]]]}}}',
    '{"version": 1, "entries": {"X1": {"text": "", "scripts": "", "runs": "", '
    '"changes": [["2026-01-01", ["<b>"]]]}}}', "[" * 100_000,
])
def test_a_record_that_is_none_is_a_message_and_stays_as_it_is(dpkb, made, text):
    (made / "kb/changes.json").write_text(text)
    with pytest.raises(DpkbError, match=r"is no record of changes that can be read"):
        record(made, "2026-01-02")
    done = dpkb("site", "--record", "--out", made / "pages", "--kb", made)
    assert done.returncode == 1 and "changes.json" in done.stderr and "Traceback" not in done.stderr
    assert (made / "kb/changes.json").read_text() == text


def test_hostile_text_stays_text_in_the_feed(tmp_path):
    evil = "]]></summary><script>alert(1)</script>&evil;"
    made = write_catalogue(tmp_path, entry=ENTRY.format(
        id="X1", shows="wrong-result", extra="", symptom="x").replace("summary: It", f"summary: '{evil}' #"))
    record(made, "2026-01-01")
    assert feed(made)[0][2] == evil


def test_every_entry_of_the_catalogue_is_in_its_feed():
    known, here = site_feed.read(ROOT), load([ROOT])
    root = ElementTree.fromstring(site_feed.atom(here, known))
    told = {item.find(f"{ATOM}link").get("href") for item in root.findall(f"{ATOM}entry")}
    assert told == {f"entries/{entry_id.lower()}.html" for entry_id in known if entry_id in here.entries}
    for row in known.values():
        assert row.changes[0].what == ("new",)
        days = [change.day for change in row.changes]
        assert days == sorted(days)
    # Who is at work on an entry is not held up; what is published must be told.
    late = ", ".join(site_feed.unrecorded(here, [ROOT]))
    browser.need(late and f"{late} changed since the feed was recorded: dpkb site --record")


def test_the_record_is_a_line_an_entry(made):
    record(made, "2026-01-01")
    text = (made / "kb/changes.json").read_text()
    assert text.count("\n") == 6 and list(json.loads(text)["entries"]) == ["X1"]
