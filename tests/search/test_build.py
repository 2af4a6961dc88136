"""The search index before it is written: impacts, fields, lines; and the file."""

from dataclasses import replace

import pytest
from support import SEARCH, write_catalogue

from dpkb.catalogue.load import load
from dpkb.model import LinePattern, Section
from dpkb.search.build import build, find_synonyms_in, invert, list_cases, list_entry_lines
from dpkb.search.index import FIELD_NAMES, FIELD_WEIGHTS


@pytest.fixture(scope="module")
def entries(tmp_path_factory):
    folder = tmp_path_factory.mktemp("catalogue")
    for number, words in enumerate(("walrus, hang, x", "one, two, three", "four, five, six")):
        write_catalogue(folder, f"ZZ{number}", search=SEARCH.replace("one, two, three", words))
    return list(load([folder]))


def impact(inverted, term):
    """Entry number -> how much a term adds to the score of that entry."""
    numbers, impacts, _ = inverted.postings[term]
    return dict(zip(numbers, impacts, strict=True))


def test_chinese_leads_to_an_entry_and_leaves_english_terms_as_they_are(entries):
    chinese = replace(entries[0], title_zh="one 显存爆了", summary_zh="DataLoader 卡死。")
    plain, both = invert(entries), invert([chinese, *entries[1:]])
    assert set(both.postings) - set(plain.postings) == {"显存", "存爆", "卡死"}
    assert list(impact(both, "卡死")) == [0] and impact(both, "卡死")[0] > 0
    assert all(both.postings[term] == postings for term, postings in plain.postings.items())
    assert (0, "in Chinese", "one 显存爆了", "显存 存爆") in both.lines


def test_every_text_of_an_entry_is_in_a_field(entries):
    entry = replace(entries[0], signatures=(LinePattern(r"^it failed \d+"),))
    lines = list_entry_lines(entry)
    assert {field for field, _ in lines} <= set(FIELD_WEIGHTS)
    for field, text in (
        ("id", "ZZ0"),
        ("title", entry.title),
        ("summary", entry.summary),
        ("keyword", "walrus"),
        ("asked as", "why one"),
        ("message", "it failed …"),
        ("fix", "Use the other script."),
        ("check", "Look."),
        ("symptom", "It is there."),
        ("cause", "A test needs it."),
    ):
        assert (field, text) in lines


def test_a_rare_word_adds_more_than_one_that_all_entries_have(entries):
    inverted = invert(entries)
    assert list(impact(inverted, "walrus")) == [0] and list(impact(inverted, "failur")) == [0, 1, 2]
    assert impact(inverted, "walrus")[0] > 2 * impact(inverted, "failur")[0] > 0


def test_a_word_in_more_lines_and_in_a_heavier_field_adds_more(entries):
    first, *others = entries
    once = impact(invert([first, *others]), "walrus")[0]
    often = replace(first, keywords=(*first.keywords, "the walrus", "a walrus"))
    assert impact(invert([often, *others]), "walrus")[0] > once
    lighter = replace(
        first,
        keywords=first.keywords[1:],
        sections=(replace(first.sections[0], heading="Versions", text="walrus"),),
    )
    assert impact(invert([lighter, *others]), "walrus")[0] < once


def test_the_fields_of_a_term_are_bits(entries):
    inverted = invert(entries)
    _, _, fields = inverted.postings["failur"]
    title = 1 << FIELD_NAMES.index("title")
    assert len(fields) == 3 and all(mask & title for mask in fields)
    assert inverted.postings["walrus"][2][0] == 1 << FIELD_NAMES.index("keyword")


def test_only_short_lines_are_kept_to_be_shown(entries):
    fields = {field for number, field, *_ in invert(entries).lines if number == 0}
    assert fields == {"title", "asked as", "keyword"}


def test_synonyms_are_those_that_some_entry_has():
    assert find_synonyms_in({"hang", "stuck", "walrus"})["hang"] == ["stuck"]


def test_an_empty_catalogue_has_an_empty_index():
    assert invert([]).postings == {}
    connection = build([], {"unreadable": "0"}, None)
    assert connection.execute("SELECT COUNT(*) FROM entry").fetchone() == (0,)


def test_the_cases_of_an_entry_are_the_rows_that_say_what_to_do(entries):
    table = "| You see | Cause | What to do |\n|---|---|---|\n| `a \\| b` | one† | two |\n\n| x | y | z |\n"
    sections = (*entries[0].sections, Section("Which case is yours?", table, 1))
    assert list(list_cases(replace(entries[0], sections=sections))) == [("`a \\| b`", "one", "two")]
    assert invert([replace(entries[0], sections=sections)]).cases[0][3] == "One. What to do: two"
