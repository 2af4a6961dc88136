"""Small pure pieces: safe text, search terms, grids, docstrings, pairs."""

import pytest

from dpkb.grids import grid
from dpkb.needs import BadDocstring, docstring, needs
from dpkb.pairs import difference, pair_problem
from dpkb.plain import one_line, plain, wrapped
from dpkb.terms import neighbours, query_terms, stem, terms


@pytest.mark.parametrize(("text", "safe"), [
    ("a\tb\nc", "a\tb\nc"), ("\x1b[31mred", "\\x1b[31mred"), ("a\rb", "ab"),
    ("\x00\x07\x9b", "\\x00\\x07\\x9b"),
    ("x\u202ey", "x\\u202ey"), ("\u200bz", "\\u200bz"), ("é 增强", "é 增强"), ("\ud800", "\\ud800"),
])
def test_plain_leaves_no_control_character(text, safe):
    assert plain(text) == safe


def test_one_line_and_wrapped():
    assert one_line("a\n  b", 10) == "a b"
    assert one_line("abcdefghij", 5) == "abcd…"
    assert wrapped("one two three", 9, "  ") == "  one two\n  three"
    assert wrapped("", 9, "  ") == "  "


@pytest.mark.parametrize(("text", "expected"), [
    ("worker_init_fn", ["worker_init_fn", "worker", "init", "fn"]),
    ("DataLoader hangs", ["dataloader", "data", "loader", "hang"]),
    ("CUDAError", ["cudaerror", "cuda", "error"]),
    ("/dev/shm", ["dev", "shm"]),
    ("the pid 123456 of 0x7f3a", ["pid"]),
    ("exit code 137", ["exit", "cod", "137"]),
    ("数据增强", ["数据", "据增", "增强"]),
    ("用DataLoader报错", ["用", "dataloader", "data", "loader", "报错"]),
    ("torch.utils.data", ["torch", "util", "data"]),
    ("", []), ("___", []), ("!?", []),
])
def test_terms(text, expected):
    assert terms(text) == expected


@pytest.mark.parametrize(("one", "other"), [
    ("hangs", "hanging"), ("dropped", "drop"), ("shared", "sharing"), ("batches", "batch"),
    ("copies", "copy"), ("pickling", "pickle"), ("duplicates", "duplicated"), ("crashes", "crash"),
])
def test_forms_of_a_word_share_a_stem(one, other):
    assert stem(one) == stem(other)


def test_neighbours_and_the_bound_of_a_question():
    assert neighbours(["a", "b", "c"]) == ["a b", "b c"]
    assert query_terms("x1 y2 z3 " * 10_000) == ["x1", "y2", "z3"]
    assert len(query_terms(" ".join(f"w{i}" for i in range(5_000)))) == 400


def test_a_grid_over_two_axes():
    made = grid("crop_by_worker_and_epoch", [[7, 7], [7, 9]])
    assert (made.what, made.rows, made.columns) == (
        "crop", ("worker 0", "worker 1"), ("epoch 0", "epoch 1"))
    assert made.repeated == {"7"}


def test_a_grid_over_one_axis_and_what_is_none():
    assert grid("steps_by_rank", [5, 7]).columns == ("rank 0", "rank 1")
    for key, value in (("steps", [1]), ("steps_by_rank", 3), ("a_by_b_and_c", [1, 2]), ("x_by_y", [])):
        assert grid(key, value) is None


def test_a_ragged_or_huge_grid_is_bounded():
    made = grid("x_by_row_and_column", [[1] * 50, [2], *[[3]] * 50])
    assert (len(made.rows), len(made.columns), len(made.cells)) == (8, 8, 8)
    assert made.cells[1][1:] == ("",) * 7


DOC = """'''X1: it fails.

Because.

Symptom: s
Needs:   torch, cv2; {places}; about 5 s
Run:     r
'''
"""


def test_what_a_script_needs():
    found = needs(DOC.format(places="cpu or cuda, linux, 4 MB /dev/shm, 64 open files"))
    assert found.packages == ("torch", "cv2")
    assert (found.devices, found.linux, found.root) == (("cpu", "cuda"), True, False)
    assert (found.shm_mb, found.open_files, found.about_seconds) == (4, 64, 5.0)
    assert docstring(DOC.format(places="cpu")).mechanism == "Because."


@pytest.mark.parametrize("places", ["gpu", "linux", "", "cpu; cuda"])
def test_unknown_places_are_refused(places):
    with pytest.raises(BadDocstring):
        needs(DOC.format(places=places))


def test_the_diff_of_a_pair():
    before, after = "a\nb\nc\nd\ne\n", "a\nb\nX\nd\ne\n"
    assert difference(before, after)[2:] == ["@@ -2,3 +2,3 @@", " b", "-c", "+X", " d"]
    assert pair_problem(before, after) is None
    assert "same" in pair_problem(before, before)
    assert "changes 13 lines" in pair_problem(before, before + "n\n" * 13)
