"""Several logs, or several ranks in one: who failed first, who followed, who is silent. rank_logs/ was recorded."""

import json
import os

import pytest
from support import ROOT
from support.rank_logs import KEY_ERROR, LOST, diagnosed, ids, roles, written

from dpkb.diagnosis import failures

LOGS = ROOT / "tests" / "diagnosis" / "rank_logs"


@pytest.mark.parametrize(
    ("name", "rank", "code", "wanted"),
    [
        ("key_error", 2, 51, []),
        ("embedding.log", 1, 41, ["S2", "L2"]),
        ("last_batch_width.srun.log", 3, 41, ["S1"]),
        ("backward_twice.json.log", 0, 86, ["A6"]),
        ("nan_check.k8s.log", 1, 81, ["Q2"]),
        ("handler_fails.log", 2, 51, []),
        ("checkpoint_missing.mpi.log", 3, 103, []),
    ],
)
def test_the_first_rank_and_its_entry_are_found_in_recorded_logs(name, rank, code, wanted):
    found = diagnosed(LOGS / name)
    assert (found.first.rank, found.first.code) == (rank, ("/home/u/work.py", code))
    assert ids(found) == wanted
    assert roles(found)[rank] == "first" and "followed" in roles(found).values()
    assert found.consequences and all(f.order > failures.CAUSE or f.is_chained for f in found.consequences)


def test_where_a_rank_is_silent_no_lost_peer_is_called_the_first():
    found = diagnosed(LOGS / "uneven")
    assert found.first is None
    assert roles(found) == {1: "followed", 2: "followed", 3: "followed", 0: "silent"}
    assert {"D9", "DP3", "D22"} & set(ids(found))


PREFIXES = [
    "[rank{}]: ",
    "{}: ",
    "[{}]: ",
    "[default{}]:",
    "[1,{}]<stderr>:",
    "[pod/trainer-worker-{}/pytorch] ",
    "(RayTrainWorker pid=7{}, ip=10.0.0.4) ",
    "gpu-node-0{}: ",
    "trainer-{} | ",
]


@pytest.mark.parametrize("prefix", PREFIXES)
def test_ranks_that_are_mixed_in_one_log_are_told_apart(tmp_path, prefix):
    ranks = {0: LOST, 1: LOST, 2: KEY_ERROR, 3: "done"}
    lines = [prefix.format(rank) + f"step {n}" for n in range(5) for rank in ranks]
    # The error of rank 2 is written last, and the lines of its traceback between others.
    lines += [prefix.format(rank) + line for rank in (0, 1, 3, 2) for line in ranks[rank].splitlines()]
    found = written(tmp_path, train="\n".join(lines))
    assert found.first.text == "KeyError: 1" and found.first.code == ("fit.py", 40)
    assert sorted(roles(found).values()) == ["first", "followed", "followed", "silent"]
    assert ids(found) == []


def test_json_lines_with_a_traceback_in_one_record(tmp_path):
    records = [{"time": f"2026-11-28T10:00:0{n}", "rank": n, "msg": f"step {n}"} for n in range(3)]
    records += [{"rank": 1, "msg": "failed", "exc_info": KEY_ERROR}, {"rank": 0, "message": LOST}]
    found = written(tmp_path, train="\n".join(map(json.dumps, records)))
    assert (found.first.rank, found.first.line, found.first.code) == (1, 4, ("fit.py", 40))
    assert roles(found) == {1: "first", 0: "followed", 2: "silent"}


def test_numbers_before_lines_are_not_always_ranks(tmp_path):
    epochs = "".join(f"{n}: loss 0.{n}\n" for n in range(30))
    found = written(tmp_path, train=epochs + KEY_ERROR)
    assert found.ranks == () and found.first.rank is None


def test_the_earlier_of_two_causes_is_the_first(tmp_path):
    early, late = (f"2026-11-28 10:00:{s} step\n" + KEY_ERROR.replace("1\n", s + "\n") for s in ("07", "31"))
    assert written(tmp_path, rank0=late, rank1=early).first.rank == 1
    for name, time in (("rank0", 1000), ("rank1", 2000)):
        (tmp_path / f"{name}.log").write_text(KEY_ERROR)
        os.utime(tmp_path / f"{name}.log", (time, time))
    assert diagnosed(tmp_path).first.rank == 0, "without times in the logs, those of the files count"


def test_an_error_long_after_the_others_gave_up_is_not_what_they_waited_for(tmp_path):
    watchdog = (
        "2026-11-28 10:00:00 Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7, OpType=X)\n"
    )
    found = written(tmp_path, rank0=watchdog, rank1="2026-11-28 10:30:00 cleanup\n" + KEY_ERROR)
    assert found.first.rank == 0


def test_an_error_while_another_is_handled_is_a_consequence(tmp_path):
    chained = "\nDuring handling of the above exception, another exception occurred:\n\n"
    found = written(tmp_path, train=KEY_ERROR + chained + KEY_ERROR.replace("KeyError", "OSError"))
    assert found.first.text == "KeyError: 1"
    assert [failure.text for failure in found.consequences] == ["OSError: 1"]


def test_a_rank_of_which_only_the_launcher_tells(tmp_path):
    killed = "E1 torch/elastic/api.py:1] failed (exitcode: -9) local_rank: 2 (pid: 4) of binary: python\n"
    found = written(tmp_path, console=f"[rank0]: {LOST}\n{killed}")
    assert (found.first.rank, found.first.text) == (2, "ended with exit code -9")
    assert written(tmp_path, console=f"{KEY_ERROR}{killed.replace('-9', '1')}").first.rank == 2


def test_a_rank_that_ended_without_an_error_is_shown_with_its_last_line(tmp_path):
    found = written(
        tmp_path,
        rank0=LOST,
        rank1="step 3\nconfig is wrong, stopping\n",
        console="E1 torch/elastic/api.py:1] failed (exitcode: 3) local_rank: 1 (pid: 4) of binary: python\n",
    )
    assert roles(found) == {1: "first", 0: "followed"}
    assert found.ranks[0].last_line == "config is wrong, stopping"
    assert found.next_step.id == "Q6" and ids(found) == []
