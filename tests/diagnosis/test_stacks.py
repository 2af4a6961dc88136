"""Dumps of jobs that hang: who waits, who is elsewhere, and the entry. stacks/ was recorded with gloo."""

import pytest
from support import ROOT
from support.diagnosis import diagnose_text
from support.rank_logs import diagnosed, ids

DUMPS = ROOT / "tests" / "diagnosis" / "stacks"
BARRIER = "the ranks wait in different calls: {} in barrier, {}fit.py:73; {} in backward, {}fit.py:68"
RANKS = BARRIER.format("rank 0", "/home/u/", "ranks 1-2", "/home/u/")


def dumped(pattern):
    return diagnosed(*sorted(DUMPS.glob(pattern)))


@pytest.mark.parametrize("pattern", ["barrier.py-spy.txt", "barrier.native.txt", "barrier.py-spy.json"])
def test_processes_are_grouped_by_their_stacks(pattern):
    found = dumped(pattern)
    assert found.differences == (BARRIER.format("process 29163", "", "processes 29164, 29165", ""),)
    assert ids(found) == ["D21"] and found.next_step is None


@pytest.mark.parametrize(
    ("pattern", "sentence", "wanted"),
    [
        ("barrier.rank?.txt", RANKS, "D21"),
        ("barrier_trace_rank_?", RANKS, "D21"),
        ("opmix_trace_rank_?", "the ranks wait in different calls: rank 0 in all_reduce", "D21"),
        ("save.py-spy.txt", "outside of any collective: process 23610 in save, fit.py:58", "D21"),
        ("uneven.py-spy.txt", "the ranks wait in different calls, processes 29748, 29750 beyond", "D9"),
        ("uneven_trace_rank_?", "the ranks wait in different calls, ranks 0, 2 beyond", "D9"),
        ("skip.py-spy.txt", "the ranks wait in different calls, process 32357 beyond", "D9"),
        ("skip.rank?.txt", "the ranks wait in different calls, rank 2 beyond", "D9"),
        ("fifo_trace_rank_?", "outside of any collective: rank 1 after SeqNum 7; ranks 0, 2 in", "D22"),
        ("fifo.rank?.txt", "no batch comes from the DataLoader of rank 1, in __next__, /home/u/fit", "DP30"),
        ("lock.py-spy.txt", "no batch comes from the DataLoader of process 4361, in __next__, fit", "DP30"),
    ],
)
def test_the_odd_one_is_named_and_leads_to_an_entry(pattern, sentence, wanted):
    found = dumped(pattern)
    assert found.differences[0].startswith(sentence)
    assert wanted in ids(found)[:1] if wanted != "D22" else wanted in ids(found)
    assert found.next_step is None and not found.signpost


@pytest.mark.parametrize(("name", "wanted"), [("barrier", ["D21"]), ("fifo", ["Q1"])])
def test_what_fr_trace_prints(name, wanted):
    found = dumped(f"{name}.fr_trace.txt")
    assert ids(found) == wanted and found.matches[0].evidence


WORKER = """Process 91: python fit.py

Thread 91 (idle): "MainThread"
    {} (cv2)
    __getitem__ (data.py:18)
    fetch (torch/utils/data/_utils/fetch.py:54)
    _worker_loop (torch/utils/data/_utils/worker.py:351)
"""


def test_a_worker_is_shown_by_its_own_calls():
    found = diagnose_text(WORKER.format("resize"))
    assert ids(found)[0] == "DP30" and found.matches[0].evidence[0].text == (
        "a DataLoader worker (process 91) is in resize (cv2), called in __getitem__ (data.py:18)"
    )


def test_stacks_that_change_are_of_a_slow_job():
    first = (DUMPS / "barrier.py-spy.txt").read_text()
    found = diagnose_text(first + first.replace("fit.py:68", "fit.py:66").replace("fit.py:73", "fit.py:74"))
    assert found.differences == ("the stacks change from dump to dump, so the job is slow, and not stuck",)
    assert {"T4", "T7", "U8"} == set(ids(found))
    assert diagnose_text(first * 3).differences == diagnose_text(first).differences


@pytest.mark.parametrize("size", [100, 1 << 20])
def test_a_dump_within_a_log_of_mixed_ranks(size):
    ranks = [(DUMPS / f"skip.rank{n}.txt").read_text().splitlines() for n in range(3)]
    lines = [f"[rank{n}]: {line}" for lines in zip(*ranks, strict=False) for n, line in enumerate(lines)]
    lines += [f"[rank{n}]: {line}" for n in (0, 1) for line in ranks[n][len(ranks[2]) :]]
    found = diagnose_text("x" * size + "\n" + "\n".join(lines) + "\nended\n")
    assert found.differences[0].startswith("the ranks wait in different calls, rank 2 beyond")


def spied(*frames, pid=1):
    return (
        f"""Process {pid}: python fit.py\n\nThread {pid} (idle): "MainThread"\n    """
        + "\n    ".join(frames)
        + "\n"
    )


BARRIER_FRAME = "barrier (torch/distributed/distributed_c10d.py:6614)"
BACKWARD = "backward (torch/autograd/__init__.py:395)"


def test_ranks_that_wait_for_the_gpu_are_not_the_odd_ones():
    """With NCCL a rank waits in a line of its own, such as loss.item(), which has no frame."""
    text = spied(BARRIER_FRAME, "train (fit.py:73)", pid=1)
    text += "".join(spied("train (fit.py:68)", pid=pid) for pid in (2, 3, 4))
    assert diagnose_text(text).differences == (
        "the ranks wait in different calls: process 1 in barrier, fit.py:73; processes 2, 3, 4 in train, fit.py:68",
    )


def test_a_rank_that_ends_has_left_the_loop():
    text = spied("destroy_process_group (torch/distributed/distributed_c10d.py:2)", "main (fit.py:90)", pid=1)
    text += spied(BACKWARD, "main (fit.py:68)", pid=2)
    found = diagnose_text(text)
    assert ids(found)[0] == "D9" and "process 1 beyond the others" in found.differences[0]


def test_launchers_and_helpers_are_no_ranks():
    same = "".join(spied(BACKWARD, "main (fit.py:68)", pid=pid) for pid in (5, 6))
    for helper in (
        spied("run (torch/distributed/elastic/agent/server/api.py:700)", "<module> (torchrun:8)"),
        spied("main (multiprocessing/resource_tracker.py:200)", "<module> (<string>:1)"),
        spied("ProcessContext.join (torch/multiprocessing/spawn.py:200)", "<module> (fit.py:120)"),
    ):
        assert diagnose_text(helper + same).differences == ("all ranks wait in backward, fit.py:68",)


def test_the_stack_of_a_crash_is_no_stack_of_a_hang():
    text = "Fatal Python error: Segmentation fault\n\n" + (DUMPS / "barrier.rank1.txt").read_text()
    assert diagnose_text(text).stacks == () and ids(diagnose_text(text)) == ["Q4"]


def test_stacks_are_shown_before_the_entry(dpkb_in_process):
    done = dpkb_in_process("diagnose", *sorted(DUMPS.glob("barrier.rank?.txt")))
    assert done.returncode == 0
    shown = " ".join(done.stdout.split())
    assert shown.startswith(RANKS + " D21 ") and "Collect next" not in shown
