"""The answer of a diagnosis does not depend on where a log is cut while it is read."""

import io
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support import write_catalogue

from dpkb.catalogue.load import load
from dpkb.diagnosis import log, match

FAILURE = "ValueError: this is the failure"
NEAR = "OSError: out of memory"
SEARCH = f"""keywords: [one, two, three]
asked_as: [why one, why two, why three]
signatures:
  - match: '^{FAILURE}'
  - match: '^Killed'
    near: '^{NEAR}'
"""
LINES = [FAILURE, f"    raise {FAILURE}", f"  {FAILURE}", "Killed", NEAR, f"    {NEAR}", "", "step 1",
         '  File "train.py", line 3, in f', '[rank0]:   File "train.py", line 3', f"[rank0]:     {FAILURE}",
         f"\x1b[31m{FAILURE}\x1b[0m", "\x1b]0;title", "a\x07",
         f"bar\r{FAILURE}", f'  File "x"\r    {FAILURE}',
         FAILURE + "\r", "\0", "数据 " + FAILURE, "x" * 700 + 'File "y"', "step\n" * 250]


@pytest.fixture(scope="module")
def signatures(tmp_path_factory):
    return match.Signatures(load([write_catalogue(tmp_path_factory.mktemp("made"), search=SEARCH)]))


def in_chunks(data, cuts):
    places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    return [data[a:b] for a, b in pairwise(places)]


def diagnosed(chunks, signatures):
    reader, splitter = match.Reader(signatures), log.Splitter()
    for block in [*map(splitter.feed, chunks), splitter.close()]:
        if block is not None:
            reader.take(block)
    return reader.diagnosis()


logs = st.lists(st.sampled_from(LINES), max_size=12).map("\n".join)
cuts = st.lists(st.integers(0, 400), max_size=12)


@settings(max_examples=300, deadline=None)
@given(logs, cuts, st.sampled_from(["utf-8", "utf-16"]))
@example(f'  File "x.py", line 3, in f\n    raise {FAILURE}\n  {FAILURE}\n', [28], "utf-8")
@example(f'  File "x.py", line 3, in f\n  {FAILURE}\n', [28], "utf-8")
@example(f"\x1b]0;title\n{FAILURE}\na\x07\n", [10], "utf-8")
@example(f"{FAILURE}\n", [1], "utf-16")
def test_any_cuts_give_the_same_answer(signatures, text, places, encoding):
    data = text.encode(encoding)
    whole = match.diagnose(io.BytesIO(data), signatures)
    assert diagnosed(in_chunks(data, places), signatures) == whole
    assert diagnosed(data.splitlines(keepends=True) if encoding == "utf-8" else [data], signatures) == whole


def test_quoted_source_at_the_start_of_a_block_is_no_evidence(signatures):
    quoted = [b'  File "x.py", line 3, in f\n', f"    {FAILURE}\n".encode()]
    assert diagnosed(quoted, signatures).matches == ()
    assert diagnosed([b"step\n", quoted[1]], signatures).matches != ()
