"""Words of other topics, and how requests begin."""

import pytest

from dpkb.search.off_topic import is_request, list_off_topic_terms


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("how do I export my model", True),
        ("  Where is the paper", True),
        ("Is there a model?", True),
        ("如何安装", True),
        ("how the loss becomes nan", False),
        ("loss is nan, how to fix", False),
        ("whereas it worked", False),
        ("", False),
    ],
)
def test_a_request_is_known_by_its_first_words(question, expected):
    assert is_request(question) is expected


def test_the_words_are_terms_of_their_own_and_no_titles_of_entries():
    words = list_off_topic_terms()
    assert {"conda", "onnx", "安装"} <= words
    assert all(word == word.lower() and " " not in word for word in words)
    assert not words & {"nan", "loss", "dataloader", "hang", "memory", "worker"}
