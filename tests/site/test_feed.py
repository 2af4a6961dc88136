"""The feed: every entry on the day of its newest run, newest first."""

import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import pytest
from support import ENTRY, ROOT, write_catalogue
from support.results import HERE, result

from dpkb.catalogue.load import load
from dpkb.evidence import store
from dpkb.model import Outcome
from dpkb.run_records import Verdict
from dpkb.site import feed as site_feed
from dpkb.site import pages
from dpkb.site.recorded_scripts import RecordedScripts

ATOM = "{http://www.w3.org/2005/Atom}"


def ran(folder, entry_id, day, verdict=Verdict.CONFIRMED, torch="2.4.1"):
    runs = [
        result("broken", verdict, id=entry_id),
        result("fixed", verdict, id=entry_id, outcome=Outcome.HEALTHY),
    ]
    store.record(runs, replace(HERE, torch=torch), load([folder]), folder, day)


def items(folder):
    """The items of the feed, as a reader parses them: title, day, summary, address."""
    catalogue = load([folder])
    scripts = RecordedScripts(catalogue, store.load(folder))
    root = ElementTree.fromstring(site_feed.render_feed(catalogue, scripts))
    assert root.find(f"{ATOM}updated").text == root.find(f"{ATOM}entry/{ATOM}updated").text
    ids = [item.find(f"{ATOM}id").text for item in root.findall(f"{ATOM}entry")]
    assert len(set(ids)) == len(ids)
    return [
        (
            item.find(f"{ATOM}title").text,
            item.find(f"{ATOM}updated").text[:10],
            item.find(f"{ATOM}summary").text,
            item.find(f"{ATOM}link").get("href"),
        )
        for item in root.findall(f"{ATOM}entry")
    ]


@pytest.fixture
def folder(tmp_path):
    return write_catalogue(write_catalogue(tmp_path / "catalogue"), "ZZ2")


def test_the_newest_run_comes_first(folder):
    ran(folder, "ZZ1", "2026-01-02")
    ran(folder, "ZZ2", "2026-01-01")
    assert items(folder) == [
        (
            f"{name}: A failure made for a test",
            day,
            f"It does what the test says, with value=2. Runs: seen on torch 2.4.1; last run {day}.",
            f"entries/{name.lower()}.html",
        )
        for name, day in (("ZZ1", "2026-01-02"), ("ZZ2", "2026-01-01"))
    ]
    ran(folder, "ZZ2", "2026-01-03", torch="2.5.1")
    assert items(folder)[0][:2] == ("ZZ2: A failure made for a test", "2026-01-03")


def test_the_feed_leaves_out_runs_of_other_code_and_entries_without_a_run(folder):
    ran(folder, "ZZ1", "2026-01-02")
    path = folder / "reproducers/zz1_made/broken.py"
    path.write_text(path.read_text().replace("value = 1", "value = 3"))
    ran(folder, "ZZ2", "2026-01-01", Verdict.REFUTED)
    assert [item[:2] for item in items(folder)] == [
        ("ZZ1: A failure made for a test", "2026-01-02"),
        ("ZZ2: A failure made for a test", "2026-01-01"),
    ]
    assert "a run disagrees" in items(folder)[1][2]
    (folder / "reproducers/zz1_made/fixed.py").write_text('"""Other code."""\nvalue = 4\n')
    assert [item[0][:3] for item in items(folder)] == ["ZZ2"]


def test_without_a_run_there_is_no_feed(folder):
    pages.write(load([folder]), [], folder / "pages")
    assert not (folder / "pages/feed.xml").exists()
    assert "no feed" in (folder / "pages/index.md").read_text()
    ran(folder, "ZZ1", "2026-01-02")
    pages.write(load([folder]), store.load(folder), folder / "pages")
    assert "ZZ1" in (folder / "pages/feed.xml").read_text()
    assert 'href="feed.xml"' in (folder / "pages/index.md").read_text()


def test_a_withdrawn_entry_is_news(folder):
    ran(folder, "ZZ1", "2026-01-02")
    path = folder / "kb/zz1_made.md"
    path.write_text(path.read_text().replace("kind: silent", "kind: silent\nwithdrawn: no <torch> does this"))
    assert items(folder)[0][2] == "Withdrawn: no <torch> does this"


def test_hostile_text_stays_text_in_the_feed(tmp_path):
    evil = "]]></summary><script>alert(1)</script>&evil;"
    folder = write_catalogue(
        tmp_path,
        entry=ENTRY.format(id="ZZ1", shows="wrong-result", extra="", symptom="x").replace(
            "summary: It", f"summary: '{evil}' #"
        ),
    )
    ran(folder, "ZZ1", "2026-01-01")
    assert items(folder)[0][2].startswith(evil)


def test_every_entry_with_a_run_is_in_the_feed_of_the_catalogue():
    catalogue = load([ROOT])
    scripts = RecordedScripts(catalogue, store.load(ROOT))
    root = ElementTree.fromstring(site_feed.render_feed(catalogue, scripts))
    listed = {item.find(f"{ATOM}link").get("href") for item in root.findall(f"{ATOM}entry")}
    assert listed == {
        f"entries/{entry.id.lower()}.html" for entry in catalogue if scripts.list_run_dates(entry)
    }
