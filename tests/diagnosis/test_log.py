"""A log in any shape: prefixes, escapes, encodings, long lines; and wherever it is cut while it is read."""

import codecs
import io
import random
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support import write_catalogue
from support.diagnosis import find_matches

from dpkb.catalogue.load import load
from dpkb.diagnosis import conclusion, log, match

SHUFFLE = "ValueError: sampler option is mutually exclusive with shuffle"
BUS = (
    "RuntimeError: DataLoader worker (pid 71) is killed by signal: Bus error. It is possible that "
    "dataloader's workers are out of shared memory. Please try to raise your shared memory limit."
)
FAILURE = "ValueError: this is the failure"
NEAR = "OSError: out of memory"
SEARCH = f"""keywords: [one, two, three]
asked_as: [why one, why two, why three]
signatures:
  - match: '^{FAILURE}'
  - match: '^Killed'
    near: '^{NEAR}'
"""
LINES = [
    FAILURE,
    f"    raise {FAILURE}",
    f"  {FAILURE}",
    "Killed",
    NEAR,
    f"    {NEAR}",
    "",
    "step 1",
    '  File "train.py", line 3, in f',
    '[rank0]:   File "train.py", line 3',
    f"[rank0]:     {FAILURE}",
    f"\x1b[31m{FAILURE}\x1b[0m",
    "\x1b]0;title",
    "a\x07",
    f"bar\r{FAILURE}",
    f'  File "x"\r    {FAILURE}',
    FAILURE + "\r",
    "\0",
    "数据 " + FAILURE,
    "x" * 700 + 'File "y"',
    "step\n" * 250,
]


@pytest.fixture(scope="module")
def signatures(tmp_path_factory):
    return match.Signatures(load([write_catalogue(tmp_path_factory.mktemp("catalogue"), search=SEARCH)]))


def in_chunks(data, cuts):
    places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    return [data[a:b] for a, b in pairwise(places)]


def diagnosed(chunks, signatures):
    reader, splitter = match.LogReader(signatures), log.BlockSplitter()
    for block in [*map(splitter.feed, chunks), splitter.close()]:
        if block is not None:
            reader.read_block(block)
    diagnoser = conclusion.Diagnoser(signatures)
    diagnoser.add(reader.build_report())
    return diagnoser.conclude()


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
    whole = conclusion.diagnose(io.BytesIO(data), signatures)
    assert diagnosed(in_chunks(data, places), signatures) == whole
    assert diagnosed(data.splitlines(keepends=True) if encoding == "utf-8" else [data], signatures) == whole


def test_quoted_source_at_the_start_of_a_block_is_not_evidence(signatures):
    quoted = [b'  File "x.py", line 3, in f\n', f"    {FAILURE}\n".encode()]
    assert diagnosed(quoted, signatures).matches == ()
    assert diagnosed([b"step\n", quoted[1]], signatures).matches != ()


# -- what launchers, terminals and shells add -------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        SHUFFLE,
        "[rank1]: " + SHUFFLE,
        "[1,0]<stderr>:" + SHUFFLE,
        "[default0]:" + SHUFFLE,
        "(RayTrainWorker pid=4711, ip=10.0.0.3) " + SHUFFLE,
        "2026-01-01 12:00:00,123 - ERROR - " + SHUFFLE,
        "\x1b[31mValueError\x1b[0m: \x1b[1msampler option is mutually exclusive with shuffle\x1b[0m",
        "Epoch 1:  50%|#####     | 5/10\rEpoch 1: 100%|##########| 10/10\r" + SHUFFLE,
        SHUFFLE + "\r",
        "\0\0" + SHUFFLE,
        "  | " + SHUFFLE,
    ],
)
def test_what_launchers_and_terminals_add_is_seen_through(line):
    matches = find_matches(f"Epoch 0\nstarting\n{line}\nmore\n")
    assert [m.id for m in matches] == ["DP14"]
    assert matches[0].evidence[0].line == 3
    assert SHUFFLE in matches[0].evidence[0].text


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_a_log_that_powershell_wrote(encoding):
    assert [m.id for m in find_matches(f"start\r\n{SHUFFLE}\r\n".encode(encoding))] == ["DP14"]
    # A signature that begins with ^.
    assert [m.id for m in find_matches("RuntimeError: Address already in use\n".encode(encoding))] == ["D32"]


def test_bytes_that_are_not_text_and_a_very_long_line_are_read():
    text = b"\xff\xfe\xfa" + b"x" * 5_000_000 + SHUFFLE.encode() + b"y" * 3_000_000 + b"\n" + BUS.encode()
    matches = find_matches(b"first\n" + text)
    assert {m.id for m in matches} == {"DP14", "DP15"}
    assert [m.evidence[0].line for m in matches if m.id == "DP15"] == [3]


@pytest.mark.parametrize(
    ("line", "bare"),
    [
        ("  x = 1  ", "x = 1"),
        ("[rank0]:   x = 1", "x = 1"),
        ("12: x", "x"),
        ("12345: x", "12345: x"),
        ("[2026-01-01 12:00:00,123][rank7]: ERROR: x", "x"),
        ("> - INFO - x", "x"),
        ("", ""),
        ("[3]", ""),
        ("loss: 3", "loss: 3"),
        ("- " * 9 + "x", "- - - x"),
    ],
)
def test_a_line_without_its_prefixes(line, bare):
    assert log.remove_prefix(line) == bare


# -- blocks of lines --------------------------------------------------------------------------------


def pieces(splitter, *chunks):
    """The blocks that a splitter makes of these chunks, as (first line, text)."""
    found = [*map(splitter.feed, chunks), splitter.close()]
    return [(block.first_line, block.text) for block in found if block is not None]


def test_a_block_ends_with_a_line():
    assert pieces(log.BlockSplitter(), b"one\ntw", b"o", b"\nthree\nfo", b"ur") == [
        (1, b"one\n"),
        (2, b"two\nthree\n"),
        (4, b"four"),
    ]
    assert pieces(log.BlockSplitter()) == [] and pieces(log.BlockSplitter(), b"") == []
    assert pieces(log.BlockSplitter(), b"x") == [(1, b"x")], "too short to tell its encoding"


def test_parts_of_a_line_that_is_too_long_overlap(monkeypatch):
    monkeypatch.setattr(log, "BLOCK_BYTES", 10)
    monkeypatch.setattr(log, "OVERLAP_BYTES", 3)
    assert pieces(log.BlockSplitter(), b"abcdefghijkl", b"m\nlast\n") == [
        (1, b"abcdefghijkl"),
        (1, b"jklm\nlast\n"),
    ]


@pytest.mark.parametrize("mark", [codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE])
def test_utf_16_may_be_cut_within_a_character(mark):
    encoding = "utf-16-le" if mark == codecs.BOM_UTF16_LE else "utf-16-be"
    data = mark + "é\U0001f525\r\nx".encode(encoding)
    single_bytes = [bytes([byte]) for byte in data]
    whole = "".join(text.decode() for _, text in pieces(log.BlockSplitter(), *single_bytes))
    assert whole == "é\U0001f525\nx"


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"\x1b[1;31mred\x1b[0m", b"red"),
        (b"\x1b]0;title\x07x\x1b]8;;http://a\x1b\\y", b"xy"),
        (b"a\0b\r\nc", b"ab\nc"),
        (b"caf\xe9", "caf\ufffd".encode()),
        ("\u4e2d".encode(), "\u4e2d".encode()),
    ],
)
def test_a_block_has_no_escapes_and_is_utf_8(raw, text):
    assert b"".join(block for _, block in pieces(log.BlockSplitter(), b"  " + raw)) == b"  " + text


def test_the_line_around_a_position():
    block = log.Block(b"one\ntwo\rthree\n\nlast", 7)
    assert [block.find_line_at(block.text.index(word)) for word in (b"one", b"wo", b"hree", b"last")] == [
        (7, 0, 3),
        (8, 4, 7),
        (8, 8, 13),
        (10, 15, 19),
    ]
    assert block.find_line_at(0) == (7, 0, 3), "also before one that was asked for"


def test_the_line_around_any_place_of_a_block():
    draw = random.Random(1)
    for _ in range(300):
        text = bytes(draw.choices(b"ab\n\r", k=draw.randrange(1, 40)))
        block = log.Block(text, 5)
        for position in [draw.randrange(len(text)) for _ in range(6)]:
            if text[position] in b"\r\n":
                continue
            before = max(text.rfind(mark, 0, position) for mark in (b"\n", b"\r")) + 1
            ends = [text.find(mark, position) for mark in (b"\n", b"\r")]
            after = min((end for end in ends if end >= 0), default=len(text))
            number = 5 + text[:before].count(b"\n")
            assert block.find_line_at(position) == (number, before, after), (text, position)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.lists(st.binary(max_size=300), max_size=5), st.booleans())
def test_any_log_is_whole_lines_of_utf_8(lines, newline):
    data = (b"\n" if newline else b"").join(lines)
    found = list(log.read_blocks(io.BytesIO(data)))
    for block in found:
        block.text.decode("utf-8")
    if data[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        # Escapes alone may take newlines with them.
        assert b"\x1b" in data or sum(b.text.count(b"\n") for b in found) == data.count(b"\n")


def test_json_of_a_logger_that_is_no_message_or_no_text_stays_one_line():
    lines = [
        r'{"msg": "half a character: \ud800", "rank": 1}',
        r'{"msg": "one", "rank": "2\n3", "time": "1\n2"}',
        '{"loss": 0.5, "step": 3}',
        '{"msg": ["no", "text"]}',
        '{"msg": ',
        "[" * 5000,
    ]
    (block,) = log.read_blocks(io.BytesIO(("\n".join(lines) + "\n").encode()))
    assert block.text.decode().splitlines() == [
        "[rank1]: half a character: ?",
        "one",
        lines[2],
        "['no', 'text']",
        *lines[4:],
    ]
