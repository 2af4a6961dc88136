"""Where no entry explains a log: what to collect next."""

import json

import pytest
from support.corpus import CORPUS
from support.diagnosis import diagnose_text

from dpkb.diagnosis import triage
from dpkb.diagnosis.triage import choose_next_step

LAUNCHER = "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:"
FAILED = "ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: 1) local_rank: 0 (pid: 7)"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("RuntimeError: CUDA error: an illegal memory access was encountered\n", "Q5"),
        ("RuntimeError: NCCL error in: ProcessGroupNCCL.cpp:272, internal error\n", "Q1"),
        ("MemoryError\n", "Q3"),
        ("AssertionError: loss is nan at step 7\n", "Q2"),
        ("ValueError: no sample was sent by DataLoader worker 3\n", "Q4"),
        (f"closing signal SIGTERM\n{LAUNCHER}\n", "Q6"),
        (f"MemoryError\n{LAUNCHER}\n", "Q3"),
        ("Segmentation fault (core dumped)\n", "Q4"),
        ("process finished with exit code 139 (interrupted by signal 11: SIGSEGV)\n", "Q4"),
        (
            f'{FAILED}\nTraceback (most recent call last):\n  File "/bin/torchrun", line 8, in <module>\n',
            "Q6",
        ),
        ("Epoch 1 loss 0.3\n", "Q1"),
        ("ModuleNotFoundError: No module named 'foo'\n", "E5"),
        ("ValueError: a setting of my own is wrong\n", None),
        ("", None),
    ],
)
def test_what_to_collect_next(text, expected):
    answer = diagnose_text(text)
    if answer.matches:
        assert answer.matches[0].id == expected and answer.next_step is None
    else:
        assert (answer.next_step and answer.next_step.id) == expected


@pytest.mark.parametrize(
    ("errors", "lines", "expected"),
    [
        (["MemoryError", "ValueError: x"], ["the loss is nan"], "Q3"),  # an error says more than a line
        (["RuntimeError: NCCL error", "ValueError: loss is nan"], [], "Q2"),  # the last one counts
        (["ValueError: x"], ["the loss is nan", "NCCL timed out"], "Q1"),
        (["ValueError: x"], ["step 1"], None),
        ([], ["step 1"], "Q1"),
        ([], ["", "  "], None),
        ([], ["exit code: 137"], "Q3"),
        ([], ["exit code: 1370"], "Q1"),
        (["ValueError: x"], ["information on the nanoseconds of the finite"], None),  # within words
        (["ValueError: x"], [LAUNCHER, "CUDA error"], "Q6"),
    ],
)
def test_the_step_that_errors_and_lines_lead_to(errors, lines, expected):
    step = choose_next_step(errors, lines)
    assert (step and step.id) == expected


def test_the_command_says_it_in_words_and_in_json(dpkb_in_process, tmp_path):
    path = tmp_path / "log.txt"
    for text, shown in (("ValueError: no sample was sent by DataLoader worker 3\n", "Q4"), ("", None)):
        path.write_text(text)
        answer = json.loads(dpkb_in_process("diagnose", path, "--json").stdout)
        assert (answer["next"] or {"id": None})["id"] == shown
        assert ("Collect next: " in dpkb_in_process("diagnose", path).stdout) is (shown is not None)


def test_every_entry_that_a_step_names_exists():
    others = (triage.FAILED_RANK, triage.NO_ERROR, triage.STALLED)
    steps = {step.id for step in (*(step for _, step in triage.STEPS), *others)}
    assert steps == {"Q1", "Q2", "Q3", "Q4", "Q5", "Q6"} <= CORPUS.catalogue.entries.keys()
