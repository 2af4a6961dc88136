"""The audit of one process: its rank or worker, its end, and its state after a fork."""

import json
import os

import pytest
from dpkb_audit.audit import Audit


@pytest.fixture
def audit(tmp_path, monkeypatch):
    """audit(RANK="1", ...) -> the audit of a process with these variables."""

    def start(**variables):
        for name in ("RANK", "WORLD_SIZE", "DPKB_AUDIT_STEPS"):
            monkeypatch.delenv(name, raising=False)
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        return Audit(str(tmp_path))

    return start


def written(folder):
    return [json.loads(line) for path in folder.glob("*.jsonl") for line in path.read_text().splitlines()]


def kinds(folder):
    return [row["kind"] for row in written(folder)]


@pytest.mark.parametrize(
    ("variables", "rank", "world"),
    [
        ({}, None, 1),
        ({"RANK": "1", "WORLD_SIZE": "4"}, 1, 4),
        ({"RANK": "-1", "WORLD_SIZE": ""}, None, 1),
        ({"RANK": "first"}, None, 1),
    ],
)
def test_the_rank_is_that_of_the_launcher_until_torch_knows_it(audit, variables, rank, world):
    started = audit(**variables)
    assert (started.rank, started.world_size) == (rank, world)
    assert started.process_fields() == {"rank": rank, "worker": None, "pid": os.getpid()}
    started.on_process_group_started(2, 8)
    assert started.process_fields()["rank"] == 2 and started.world_size == 8


def test_the_audit_ends_once(audit, tmp_path):
    started, ended = audit(), []
    started.dispatcher.add_follower(type("Follower", (), {"on_end": lambda self: ended.append(1)})())
    started.end()
    started.end()
    assert ended == [1] and kinds(tmp_path).count("end") == 1 and started.dispatcher.closed


def test_a_worker_reports_its_start_and_its_number(audit, tmp_path):
    started = audit()
    started.become_worker(3, None)
    assert written(tmp_path)[-1] == {"kind": "began", "rank": None, "worker": 3, "pid": os.getpid()}
    started.end()
    assert [row["worker"] for row in written(tmp_path) if row["kind"] == "end"] == [3]


@pytest.mark.parametrize(("steps", "done", "reached"), [("3", 2, False), ("3", 3, True), (None, 100, False)])
def test_the_audit_ends_after_the_requested_steps(audit, tmp_path, steps, done, reached):
    started = audit(**({"DPKB_AUDIT_STEPS": steps} if steps else {}))
    started.training.step = done
    started.end_when_steps_reached()
    assert (started.steps_reached, any(tmp_path.glob("*.steps-reached")), started.dispatcher.closed) == (
        reached,
    ) * 3


def test_a_forked_child_begins_again(audit):
    started = audit()
    started.end()
    started.steps_reached, started.exit_code = True, 0
    started.restart()
    assert not started.dispatcher.closed and not started.steps_reached and started.exit_code is None


def test_a_check_that_raises_is_reported_and_ends_alone(audit, tmp_path):
    started = audit()

    def bug(*_):
        return 1 / 0

    started.dispatcher.add_check(type("DP99", (), {"on_end": bug, "id": "DP99"})())
    started.end()
    (failure,) = [row for row in written(tmp_path) if row["kind"] == "failure"]
    assert failure["message"].endswith(" failed") and "ZeroDivisionError" in failure["traceback"]
    assert "end" in kinds(tmp_path)
