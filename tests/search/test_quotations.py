"""Quotations in a question: a message leads to its entry, and the frames above it do not count."""

import io
import json
import sqlite3

import pytest
from support import ROOT

from dpkb.catalogue.load import load
from dpkb.diagnosis.conclusion import diagnose
from dpkb.diagnosis.match import Signatures
from dpkb.search.build import build
from dpkb.search.quotations import find_explained, find_message, list_quoted_names, remove_frames
from dpkb.search.rank import search

TRACEBACK = """\
Error when I train on my own dataset, please help
Traceback (most recent call last):
  File "/home/me/lib/python3.10/site-packages/torch/nn/modules/loss.py", line 1174, in forward
    return F.cross_entropy(input, target, weight=self.weight,
           ^^^^^^^^^^^^^^^^
  File "/home/me/lib/python3.10/site-packages/torch/nn/functional.py", line 3029, in cross_entropy
    return torch._C._nn.cross_entropy_loss(input, target, weight, _Reduction.get_enum(reduction))
ValueError: Expected input batch_size (60) to match target batch_size (12).
How can I solve it?"""


def test_frames_lose_their_files_and_source():
    assert remove_frames(TRACEBACK).split("\n") == [
        "Error when I train on my own dataset, please help",
        "Traceback (most recent call last):",
        "ValueError: Expected input batch_size (60) to match target batch_size (12).",
        "How can I solve it?",
        "forward",
        "cross_entropy",
    ]


@pytest.mark.parametrize(
    "question",
    [
        "bus error",
        'File "x.py", line 3',
        'which File "x" is it\n  and why',
        "",
    ],
)
def test_text_that_is_not_a_traceback_stays(question):
    assert remove_frames(question) == question


@pytest.mark.parametrize("prefix", ["> ", "[rank0]: ", ""])
def test_a_prefix_before_each_line(prefix):
    quoted = "\n".join(prefix + line for line in TRACEBACK.split("\n"))
    assert "cross_entropy_loss(input" not in remove_frames(quoted)


@pytest.fixture(scope="module")
def index():
    return build(load([ROOT]), {"unreadable": "0"}, None)


def test_the_message_decides_and_not_the_functions_above_it(index):
    assert search(index, TRACEBACK, 3).hits[0].id == "S3"


def explained_by(index, question):
    names = dict(index.execute("SELECT doc, id FROM entry"))
    scores, post = find_explained(index, question)
    return {names[doc]: score for doc, score in scores.items()}, post


def test_a_line_that_many_causes_share_says_less(index: sqlite3.Connection):
    alone, _ = explained_by(
        index, "ValueError: Expected input batch_size (60) to match target batch_size (12)"
    )
    shared, _ = explained_by(index, "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB")
    assert alone == {"S3": 10.0}
    assert {"M1", "M2", "Q3"} == set(shared) and max(shared.values()) < 1


def test_a_message_is_known_without_a_colon_and_a_symptom_is_no_message(index):
    assert set(explained_by(index, "Expected input batch_size (60) to match target batch_size (12)")[0]) == {
        "S3"
    }
    assert explained_by(index, "loss is nan, exit code 137") == ({}, None)
    assert set(explained_by(index, "my loss: nan")[0]) == {"Q2"}


def test_a_signpost_is_only_for_a_message_that_no_entry_explains(index, tmp_path):
    posts = load([ROOT]).signposts
    own = build(load([ROOT]), {"unreadable": "0"}, None, posts)
    scores, post = explained_by(own, "GPU with CUDA capability sm_120 is not compatible with this PyTorch")
    assert not scores and post == next(p for p in posts if "CUDA capability" in p.match)
    assert explained_by(own, "ValueError: sampler option is mutually exclusive with shuffle")[1] is None


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ("training fails, KeyError: 'x' in fit", "'x' in fit"),
        ("torch.foo.BarError: a: b", "a: b"),
        ("RuntimeError: first\nsome line\nValueError: second\nhelp", "second"),
        ("'GCNConv' object has no attribute 'weight'", "'GCNConv' object has no attribute 'weight'"),
        ("no error: it hangs", ""),
        ("TypeError in collate", ""),
    ],
)
def test_the_message_of_a_question(question, message):
    assert find_message(question) == message


def test_the_names_in_quotes():
    assert list_quoted_names("Target modules ['q_proj', \"v\"] can't, <class 'a.B'>: no one's") == [
        "'q_proj'",
        '"v"',
        "'a.B'",
    ]


def test_search_begins_with_what_diagnose_says():
    catalogue = load([ROOT])
    connection = build(catalogue, {"unreadable": "0"}, None, catalogue.signposts)
    signatures = Signatures(catalogue, catalogue.signposts)
    cited = json.loads((ROOT / "tests/diagnosis/cited_lines.json").read_text("utf-8"))
    lines = list(dict.fromkeys(line for lines in cited.values() for line in lines))
    differ, known = [], 0
    for line in lines:
        said = diagnose(io.BytesIO(line.encode()), signatures)
        found = search(connection, line, 3)
        if said.matches:
            known += 1
            differ += [] if found.hits and found.hits[0].id == said.matches[0].id else [line]
            assert not found.weak or "File " in line, line
        elif said.signpost:
            assert found.signpost == said.signpost
    assert known > 250 and len(differ) < known / 20, differ
