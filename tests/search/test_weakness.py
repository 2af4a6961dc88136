"""Whether an entry explains too little of a question, in a small index."""

import pytest
from support import SEARCH, write_catalogue

from dpkb.catalogue.load import load
from dpkb.search.build import build
from dpkb.search.postings import find_posting_lists
from dpkb.search.rank import search
from dpkb.search.tokens import split_question
from dpkb.search.weakness import fits_message, is_weak


def build_index(folder, *own_keywords):
    """An index of ten entries: the first have these keywords, and the others have common ones."""
    for number in range(10):
        keywords = own_keywords[number] if number < len(own_keywords) else "one, two, three"
        write_catalogue(folder, f"ZZ{number + 1}", search=SEARCH.replace("one, two, three", keywords))
    return build(load([folder]), {"unreadable": "0"}, None)


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    """ZZ1 is about walruses, ZZ2 mentions a narwhal once."""
    folder = tmp_path_factory.mktemp("catalogue")
    return build_index(folder, "walrus, walrus tusk, the walrus", "one, two, narwhal")


def weak(index, question, entry, request=False):
    asked = split_question(question)
    return is_weak(index, asked, find_posting_lists(index, asked), entry, request)


@pytest.mark.parametrize("question", ["walrus", "walrus tusk", "the walrus and its tusk"])
def test_an_entry_explains_the_words_that_it_is_about(question, index):
    assert not weak(index, question, "ZZ1")
    assert weak(index, question, "ZZ4")


def test_a_word_that_an_entry_mentions_once_explains_less(index):
    assert not weak(index, "walrus of the coast", "ZZ1")
    assert weak(index, "narwhal of the coast", "ZZ2")


def test_more_words_that_an_entry_lacks_make_it_weak(index):
    assert not weak(index, "walrus", "ZZ1")
    assert weak(index, "walrus of many other words that nobody wrote", "ZZ1")


def test_pairs_of_chinese_characters_that_no_entry_has_do_not_count(index):
    others = "coast island winter summer morning evening"
    assert weak(index, f"walrus {others}", "ZZ1")
    assert not weak(index, "walrus 海岸岛屿冬夏早晚", "ZZ1")


def test_a_request_must_be_explained_better(index):
    assert not weak(index, "walrus", "ZZ1", request=False)
    assert weak(index, "walrus", "ZZ1", request=True)


def test_words_of_other_topics_count_against_an_entry_that_is_not_about_them(index, tmp_path):
    assert not weak(index, "coast walrus tusk", "ZZ1")
    assert weak(index, "conda walrus tusk", "ZZ1")
    about_conda = build_index(tmp_path, "conda, conda wheel, wheel, conda wheel fails")
    assert not weak(about_conda, "conda wheel", "ZZ1")


@pytest.mark.parametrize(
    ("question", "weak"),
    [
        ("walrus tusk", False),
        ("walrus", False),
        ("ZZ1", False),
        ("conda wheel walrus", True),
        ("how do I walrus", True),
        ("walrus of many other words that nobody wrote", True),
    ],
)
def test_a_search_calls_its_best_hit_weak(index, question, weak):
    result = search(index, question, 5)
    assert result.hits[0].id == "ZZ1" and result.weak is weak


@pytest.mark.parametrize(
    ("message", "fits"),
    [
        ("the walrus lost its tusk", True),
        ("the walrus lost its tusk in a storm far away, near an island", True),
        ("'giraffe' object has no attribute 'neck'", True),
        ("'lion' object has no attribute 'neck'", True),
        ("'lion' object has no attribute 'mane'", False),
        ("the walrus swims through a storm far away, near an island", False),
        ("a storm", False),
        ("name 'walrus' is not defined", False),
    ],
)
def test_a_line_fits_a_message_by_its_words_and_by_the_names_in_quotes(tmp_path, message, fits):
    keywords = "the walrus lost its tusk, \"'giraffe' object has no attribute 'neck'\", walrus"
    index = build_index(tmp_path, keywords)
    lists = find_posting_lists(index, split_question(message))
    assert fits_message(index, message, lists, "ZZ1") is fits


def test_a_message_that_no_line_fits_is_answered_as_weak(tmp_path):
    index = build_index(tmp_path, "walrus, walrus tusk, the walrus")
    assert not search(index, "walrus tusk", 5).weak
    assert not search(index, "KeyError: walrus tusk", 5).weak
    assert search(index, "KeyError: 'lion' of walrus tusk", 5).weak
