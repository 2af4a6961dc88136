"""The page of look-alikes: one node and one list item for each entry, one line for each pair."""

from dataclasses import replace

import pytest
from support import write_catalogue

from dpkb.catalogue.load import Catalogue, load
from dpkb.model import SimilarEntry
from dpkb.site import graph


@pytest.fixture
def page(tmp_path):
    """page(**entries): the page of a catalogue with these entries, each with its changed fields."""
    entry = load([write_catalogue(tmp_path)]).find_entry("ZZ1")

    def write(**entries):
        return graph.render_graph_page(
            Catalogue(
                {
                    name: replace(entry, id=name, title=f"<{name}>", **fields)
                    for name, fields in entries.items()
                },
                {},
                [],
                [],
                [],
            )
        )

    return write


def test_each_entry_is_a_node_and_an_item_and_its_title_is_text(page):
    text = page(ZZ1={}, ZZ2={}, ZZ3={})
    assert text.count('class="node"') == text.count("<li>") == 3 and "<path" not in text
    assert '<li><a href="entries/zz2.html">ZZ2</a>' in text and "<ZZ2>" not in text


def test_a_pair_has_one_line_which_is_dark_if_either_is_confused_with_the_other(page):
    text = page(
        ZZ1={"see_also": ("ZZ2", "ZZ3")}, ZZ2={"confused_with": (SimilarEntry("ZZ1", "look"),)}, ZZ3={}
    )
    assert text.count("<path") == 2
    assert text.count('<path class="confused"') == text.count('<path class="see"') == 1
    assert 'see also <a href="entries/zz2.html">ZZ2</a>, <a href="entries/zz3.html">ZZ3</a></li>' in text


def test_an_entry_that_is_not_there_is_named_without_a_link(page):
    text = page(ZZ1={"see_also": ("ZZ9",)})
    assert "see also ZZ9</li>" in text and "<path" not in text


def test_of_very_many_entries_there_is_only_the_list(page, monkeypatch):
    monkeypatch.setattr(graph, "MAX_NODES", 1)
    text = page(ZZ1={}, ZZ2={})
    assert "<svg" not in text and text.count("<li>") == 2 and "more than 1 entries" in text
