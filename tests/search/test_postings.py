"""The terms of a question in the index: synonyms, and the nearest spelling of a term that no entry has."""

import pytest
from support import SEARCH, write_catalogue

from dpkb.catalogue.load import load
from dpkb.search.build import build
from dpkb.search.postings import (
    MISSPELT_WEIGHT,
    SYNONYM_WEIGHT,
    count_edits,
    find_posting_lists,
    find_trigrams,
    may_be_misspelt,
)


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    folder = tmp_path_factory.mktemp("catalogue")
    for number, words in enumerate(("walrus, deadlock, three", "walrus, walnut, tusks")):
        write_catalogue(folder, f"ZZ{number}", search=SEARCH.replace("one, two, three", words))
    return build(load([folder]), {"unreadable": "0"}, None)


def known(index, *terms):
    return {
        posting_list.question_term: (posting_list.term, posting_list.weight, list(posting_list.docs))
        for posting_list in find_posting_lists(index, list(terms))
    }


def test_a_term_has_the_entries_with_it(index):
    assert known(index, "walrus") == {"walrus": ("walrus", 1.0, [0, 1])}
    (posting_list,) = find_posting_lists(index, ["walnut"])
    assert [posting_list.index_of(doc) for doc in (0, 1, 2)] == [None, 0, None]
    assert posting_list.score_in(1) == posting_list.impacts[0] > 0 and posting_list.score_in(0) == 0


@pytest.mark.parametrize(
    ("asked", "term"),
    [
        ("walnut", "walnut"),
        ("wallnut", "walnut"),
        ("wlanut", "walnut"),
        ("walnu", "walnut"),
        ("wlant", None),
        ("dedlocl", "deadlock"),
        ("walxux", None),
        ("wal", None),
        ("xwalrus12345", None),
        ("1234567", None),
    ],
)
def test_a_term_that_no_entry_has_stands_for_its_nearest_spelling(index, asked, term):
    found = known(index, asked)
    assert (found.get(asked) or (None,))[0] == term
    assert term is None or found[asked][1] == (1.0 if asked == term else MISSPELT_WEIGHT)


def test_the_other_words_for_a_term_count_a_little(index):
    found = known(index, "hang")
    assert found["deadlock"] == ("deadlock", SYNONYM_WEIGHT, [0]) and "freez" not in found
    assert known(index, "hang", "deadlock")["deadlock"][1] == 1.0, "a word of the question itself"


@pytest.mark.parametrize(
    ("one", "other", "edits"),
    [
        ("abcd", "abcd", 0),
        ("abcd", "abdc", 1),
        ("abcd", "abd", 1),
        ("abcd", "abxcd", 1),
        ("abcd", "axyd", 2),
        ("abcd", "badc", 2),
        ("", "ab", 2),
    ],
)
def test_the_distance_of_two_spellings_counts_their_edits(one, other, edits):
    assert count_edits(one, other, 3) == count_edits(other, one, 3) == edits
    assert count_edits("abcd", "abcdefgh", 2) == 3, "no need to count"


def test_the_letters_that_spellings_share():
    assert find_trigrams("ab") == {"^ab", "ab$"} and find_trigrams("abc") == {"^ab", "abc", "bc$"}


@pytest.mark.parametrize(
    ("term", "may"),
    [
        ("batch", True),
        ("bat", False),
        ("x" * 24, True),
        ("x" * 25, False),
        ("数据增强", False),
        ("1234", False),
        ("a b c", False),
        ("dp99", False),
        ("fp16", False),
        ("resnet50", True),
    ],
)
def test_short_words_and_numbers_are_never_taken_for_misspelt(term, may):
    assert may_be_misspelt(term) is may
