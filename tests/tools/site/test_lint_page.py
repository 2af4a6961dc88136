"""The page about lint: a row for each rule of the catalogue, with the counts that were recorded."""

import json

from support import write_catalogue
from support.corpus import CORPUS

from dpkb.catalogue.load import load
from dpkb.lint.rules import all_rules
from tools.site.lint_page import COUNTS, render_lint_page


def test_every_rule_has_a_row_with_its_counts():
    page, counts = render_lint_page(CORPUS.catalogue), json.loads(COUNTS.read_text(encoding="utf-8"))
    for rule in all_rules():
        row = page.partition(f'<a href="entries/{rule.lower()}.html">{rule}</a>')[2].partition("</tr>")[0]
        count = counts["rules"].get(rule, {"findings": 0, "wrong": 0})
        assert row.endswith(f"<td>{count['findings']}</td><td>{count['wrong']}</td>"), rule
        assert dict(CORPUS.catalogue.find_entry(rule).found_by)["lint"] in row


def test_the_sums_are_those_of_the_rows():
    counts = json.loads(COUNTS.read_text(encoding="utf-8"))
    assert sum(row["findings"] for row in counts["rules"].values()) == counts["findings"]
    assert sum(row["wrong"] for row in counts["rules"].values()) == counts["wrong"]
    assert sum(counts["trees"].values()) == counts["lines"]


def test_a_catalogue_without_these_entries_has_no_rows(tmp_path):
    page = render_lint_page(load([write_catalogue(tmp_path)]))
    assert '<h1 id="lint">What dpkb lint sees' in page and 'href="entries/' not in page
