"""The pages of tasks: each entry that audit finds, and what a reader may trust, with figures of this catalogue."""

import re

from support import write_catalogue
from support.corpus import CORPUS
from support.results import HERE, result

from dpkb.catalogue.load import load
from dpkb.evidence import store
from dpkb.model import Outcome
from tools.site.task_pages import README, render_about_page, render_audit_page, render_look_alikes_page


def test_every_entry_that_audit_finds_has_a_row():
    page = render_audit_page(CORPUS.catalogue)
    found = {
        entry.id: dict(entry.found_by)["audit"]
        for entry in CORPUS.catalogue
        if "audit" in dict(entry.found_by)
    }
    rows = re.findall(
        r'<tr><td><a href="entries/\w+.html">(\w+)</a></td><td>.*?</td><td>(\w+)</td></tr>', page
    )
    assert dict(rows) == found and len(rows) == len(found) > 50
    assert f"<p>{len(found)} entries." in page


def test_each_two_entries_that_look_alike_have_one_row_with_the_check(tmp_path):
    page = render_look_alikes_page(CORPUS.catalogue)
    rows = re.findall(
        r'<tr><td><a href="entries/\w+.html">(\w+)</a> .*?</td><td><a href="entries/\w+.html">(\w+)</a> .*?</td><td>(.+?)</td></tr>',
        page,
        re.DOTALL,
    )
    pairs = {frozenset((e.id, o.id)) for e in CORPUS.catalogue for o in e.confused_with}
    assert len(pairs) > 100 and f"<p>{len(pairs)} times" in page
    assert sorted(sorted(row[:2]) for row in rows) == sorted(map(sorted, pairs))
    assert all("<p>" in check for _, _, check in rows)


def test_the_page_about_trust_has_the_figures_of_the_readme():
    page = render_about_page(CORPUS.catalogue, [])
    figures = re.findall(r"^\| [^|]+ \| ([^|]*\d[^|]*) \|", README.read_text(), re.M)
    assert len(figures) == 5 and all(f"<td>{figure}</td>" in page for figure in figures)
    assert f"{len(CORPUS.catalogue.entries)}, {sum(len(e.scripts) for e in CORPUS.catalogue):,}, " in page
    assert "No run is recorded yet." in page and "<strong>torchfix</strong>" in page


def test_the_page_about_trust_counts_the_recorded_runs(tmp_path):
    folder = write_catalogue(tmp_path)
    catalogue = load([folder])
    runs = [result(), result("fixed", outcome=Outcome.HEALTHY, seen="a healthy run")]
    store.record(runs, HERE, catalogue, folder, "2026-01-02")
    page = render_about_page(catalogue, store.load(folder))
    assert "<td>1</td><td>0</td><td>0</td><td>0</td></tr>" in page
    assert "Neither lint nor audit finds 1 of the 1 entries" in page
