"""Quotations in a question: a message leads to its entry, and the frames above it do not count."""

import sqlite3

import pytest
from support import ROOT

from dpkb.catalogue.load import load
from dpkb.search.build import build
from dpkb.search.quotations import find_signature_bonuses, remove_frames
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


def test_a_line_that_many_causes_share_says_less(index: sqlite3.Connection):
    def bonuses(question):
        names = dict(index.execute("SELECT doc, id FROM entry"))
        return {names[n]: worth for n, worth in find_signature_bonuses(index, question).items()}

    assert bonuses("Expected input batch_size (60) to match target batch_size (12)") == {}
    alone = bonuses("ValueError: Expected input batch_size (60) to match target batch_size (12)")
    shared = bonuses("RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB")
    assert alone == {"S3": 1.0}
    assert {"M1", "M2", "Q3"} == set(shared) and max(shared.values()) < 0.1
