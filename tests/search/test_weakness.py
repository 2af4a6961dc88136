"""Whether an entry explains too little of a question, in a small index."""

import pytest
from support import SEARCH, write_catalogue

from dpkb.catalogue.load import load
from dpkb.search.build import build
from dpkb.search.postings import find_posting_lists
from dpkb.search.rank import WEAK_HITS, search
from dpkb.search.tokens import split_question
from dpkb.search.weakness import compute_fit, fits_message, is_weak, weigh_terms


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


def weak(index, question, entry):
    asked = split_question(question)
    lists = find_posting_lists(index, asked)
    return is_weak(index, asked, lists, entry, weigh_terms(question, lists, 10))


@pytest.mark.parametrize("question", ["walrus", "walrus tusk", "the walrus and its tusk"])
def test_an_entry_explains_the_words_that_it_is_about(question, index):
    assert not weak(index, question, "ZZ1")
    assert weak(index, question, "ZZ4")


def test_a_word_that_an_entry_mentions_once_explains_less(tmp_path):
    often = "walrus, walrus tusk, the walrus, walrus herd, a walrus swims"
    once = "one, two, three, four, a narwhal swims"
    index = build_index(tmp_path, often, once)
    assert not weak(index, "walrus swims at noon near town", "ZZ1")
    assert weak(index, "narwhal swims at noon near town", "ZZ2")


def test_a_word_that_names_the_topic_is_too_little_if_no_line_says_the_rest(tmp_path):
    index = build_index(tmp_path, "walrus, walrus tusk, the walrus, a walrus swims far from the island")
    assert not weak(index, "walrus far from its island", "ZZ1")
    assert weak(index, "walrus sings at the opera house", "ZZ1")


def test_a_line_fits_by_what_it_and_the_question_have_in_common():
    question = dict.fromkeys(("walrus", "lose", "tusk"), 4.0)
    whole, longer = frozenset(question), frozenset((*question, "storm", "night"))
    assert 1 > compute_fit(whole, question) > compute_fit(longer, question) > 0
    assert compute_fit(frozenset({"walrus", "tusk"}), question) > 2 * compute_fit(
        frozenset({"walrus"}), question
    )
    assert compute_fit(frozenset({"giraffe"}), question) == 0


def test_the_parts_of_a_word_share_its_weight(index):
    question = "narwhal walrus_tusk"
    lists = find_posting_lists(index, split_question(question))
    weights = weigh_terms(question, lists, 10)
    assert weights["narwhal"] > sum(weights[term] for term in ("walrus_tusk", "walrus", "tusk")) / 2
    assert weights["walrus"] == weigh_terms("walrus walrus_tusk", lists, 10)["walrus"] / 3


def test_more_words_that_an_entry_lacks_make_it_weak(index):
    assert not weak(index, "walrus", "ZZ1")
    assert weak(index, "walrus of many other words that nobody wrote", "ZZ1")


def test_pairs_of_chinese_characters_that_no_entry_has_do_not_count(index):
    others = "coast island winter summer morning evening"
    assert weak(index, f"walrus {others}", "ZZ1")
    assert not weak(index, "walrus 海岸岛屿冬夏早晚", "ZZ1")


def test_words_of_other_topics_count_against_an_entry_that_is_not_about_them(index, tmp_path):
    assert not weak(index, "coast walrus tusk", "ZZ1")
    assert weak(index, "conda walrus tusk", "ZZ1")
    about_conda = build_index(tmp_path, "conda, conda wheel, wheel, conda wheel fails")
    assert not weak(about_conda, "conda wheel", "ZZ1")
    mentioned = build_index(tmp_path / "mentioned", "walrus, walrus tusk, walrus in a conda wheel")
    assert not weak(mentioned, "walrus in a conda wheel", "ZZ1")


@pytest.mark.parametrize(
    ("question", "weak"),
    [
        ("walrus tusk", False),
        ("walrus", False),
        ("ZZ1", False),
        ("conda wheel walrus", True),
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
        ("'WalrusLion' object has no attribute 'mane'", False),
        ("'GiraffeHerd' object has no attribute 'mane'", False),
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
    assert search(index, "KeyError: 'lion' of a walrus", 5).weak


def test_a_weak_answer_has_few_entries(index):
    clear = search(index, "walrus failure made for a test", 5)
    assert not clear.weak and len(clear.hits) > WEAK_HITS
    doubtful = search(index, "failure of many other words that nobody wrote", 5)
    assert doubtful.weak and len(doubtful.hits) == WEAK_HITS
