"""A traceback that is cut before its last line is read by its frames; a whole one is not."""

import pytest
from support.corpus import CORPUS
from support.diagnosis import find_matches

from dpkb.diagnosis.frames import build_rules, find_cut_traceback

RULES = build_rules(CORPUS.catalogue)

START = "Traceback (most recent call last):\n"


def in_frame(path, function, source="pass"):
    return f'  File "/env/lib/python3.11/site-packages/{path}", line 7, in {function}\n    {source}\n'


def cut_of(text):
    """What the lines of a text say, as a log without prefixes has them."""
    return find_cut_traceback([line.strip() for line in text.splitlines()], RULES)


CUT = {
    "DP8": in_frame("torch/nn/functional.py", "_verify_batch_size"),
    "DP4": in_frame("torch/utils/data/_utils/collate.py", "default_collate"),
    "DP15": in_frame("torch/storage.py", "_share_filename_cpu_"),
    "DP20": in_frame("multiprocessing/reduction.py", "recvfds"),
    "D8": in_frame("torch/nn/parallel/distributed.py", "forward", "self.reducer.prepare_for_backward([])"),
    "DP19": in_frame("multiprocessing/spawn.py", "_fixup_main_from_path") + in_frame("me/train.py", "train"),
    "Q4": in_frame("torch/utils/data/dataloader.py", "_try_get_data"),
    "O14": in_frame("torch/nn/functional.py", "nll_loss"),
}


@pytest.mark.parametrize("around", [str, lambda text: text.replace("  File", "[rank1]:   File")])
@pytest.mark.parametrize("expected", CUT)
def test_the_frames_of_a_traceback_without_its_last_line(expected, around):
    log = around(START + in_frame("me/train.py", "main") + CUT[expected])
    matches = find_matches(f"Epoch 1\n{log}")
    assert matches[0].id == expected
    assert matches[0].evidence[0].line >= 5


@pytest.mark.parametrize(
    "last",
    [
        "KeyboardInterrupt",
        "OverflowError: math range error",
        "my.own.DataError: no such key",
        "Stop",
        "my.own.Odd: no such key",
    ],
)
@pytest.mark.parametrize("cut", CUT.values(), ids=list(CUT))
def test_with_a_last_line_of_its_own_the_frames_say_nothing(cut, last):
    assert find_matches(f"Epoch 1\n{cut}{last}\n") == ()


@pytest.mark.parametrize(
    "cut",
    [
        in_frame("torch/utils/data/dataloader.py", "_process_data", "data.reraise()"),
        in_frame("torch/utils/data/dataloader.py", "_process_data") + '  File "/env/lib/pyth\n',
        in_frame("torch/utils/data/dataloader.py", "__next__", "data = self._next_data()"),
        in_frame("batchgenerators/dataloading/multi_threaded_augmenter.py", "__next__"),
        'File "train.py", line 9, in\n    main()\n'
        + in_frame("torch/utils/data/dataloader.py", "_try_get_data"),
    ],
)
def test_a_traceback_that_is_cut_in_the_loader_is_of_a_sample_or_a_worker(cut):
    assert find_matches(START + cut)[0].id == "Q4"


@pytest.mark.parametrize(
    ("cut", "expected"),
    [
        (
            in_frame("me/model.py", "forward", "return F.cross_entropy(logits, labels)") + '  File "/env\n',
            "O14",
        ),
        (in_frame("torch/utils/data/dataloader.py", "__iter__", "return DataLoaderIter(self)"), "DP19"),
    ],
)
def test_the_source_of_the_last_frame_says_what_was_called(cut, expected):
    assert find_matches(START + cut)[0].id == expected


def test_a_notebook_names_frames_in_its_own_way():
    for frame in (
        "File /env/torch/nn/functional.py:2450, in _verify_batch_size(size)",
        "/env/torch/nn/functional.py in _verify_batch_size(size)",
    ):
        assert find_matches(f"{frame}\n   2449     size_prods *= size[i + 2]\n")[0].id == "DP8"


@pytest.mark.parametrize("text", ["", "step 1\nstep 2\n", CUT["DP8"] + "ValueError: x\nstep 3\n"])
def test_without_a_cut_traceback_there_is_nothing(text):
    assert cut_of(text) is None


def test_a_traceback_after_a_whole_one_counts():
    cut = cut_of(CUT["DP4"] + "ValueError: x\n" + CUT["DP8"])
    assert cut.rule.ids == ("DP8",) and cut.frame == 3


@pytest.mark.parametrize(("inside", "found"), [(0, True), (2, True), (3, False)])
def test_a_rule_allows_few_frames_below_its_own(inside, found):
    cut = cut_of(CUT["DP8"] + in_frame("me/hooks.py", "hook") * inside)
    assert (cut.rule is not None) is found


def test_the_innermost_frame_that_a_rule_fits_counts():
    assert cut_of(CUT["O14"] + CUT["DP8"]).rule.ids == ("DP8",)
    assert cut_of(CUT["DP8"] + CUT["O14"]).rule.ids[0] == "O14"


def test_a_statement_that_raises_may_take_several_lines():
    raises = in_frame("torch/x.py", "f", 'raise RuntimeError(\n        "no such"\n        "thing")')
    cut = cut_of(in_frame("me/train.py", "main") + raises)
    assert cut.raise_lines == (3, 4, 5) and cut.rule is None and cut.frame is None


def test_the_first_entry_of_a_rule_is_the_likeliest():
    text = START + CUT["Q4"]
    (rule,) = [cut_of(text).rule]
    matches = {match.id: match.score for match in find_matches(text)}
    assert len(rule.ids) > 2 and [matches[entry] for entry in rule.ids] == [3.0, 2.75, 2.5]


def test_the_entries_of_the_frames_exist():
    assert {entry for rule in RULES for entry in rule.ids} <= set(CORPUS.catalogue.entries)
