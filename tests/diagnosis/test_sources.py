"""The logs below the paths that a user names, and their ranks."""

import gzip
import os

import pytest
from support.rank_logs import KEY_ERROR, LOST, diagnosed, roles

from dpkb.diagnosis import sources


def test_a_folder_is_read_without_what_is_no_log(tmp_path):
    tree = tmp_path / "logs" / "job_ab1" / "attempt_0"
    for rank in range(12):
        (tree / str(rank)).mkdir(parents=True)
        (tree / str(rank) / "stderr.log").write_text(KEY_ERROR if rank == 10 else "")
    (tmp_path / "logs" / "model.pt").write_bytes(bytes(range(256)))
    with gzip.open(tree / "3" / "stdout.log.gz", "wt") as file:
        file.write(LOST + "\n")
    found = diagnosed(tmp_path / "logs")
    assert roles(found) == {
        10: "first",
        3: "followed",
        **{n: "silent" for n in range(12) if n not in (3, 10)},
    }
    # The logs of an older run in the same folder are left out.
    older = tmp_path / "logs" / "earlier_cd2" / "attempt_0" / "5"
    older.mkdir(parents=True)
    (older / "stderr.log").write_text(KEY_ERROR)
    os.utime(older / "stderr.log", (1000, 1000))
    logs, notes = sources.list_logs([str(tmp_path / "logs")])
    assert len(logs) == 13 and notes == [
        "the logs are of 2 runs of torchrun; only those of the last one are read"
    ]


@pytest.mark.parametrize(
    ("names", "ranks"),
    [
        (["out.0.log", "out.1.log"], [0, 1]),
        (["slurm-99_3.out", "slurm-99_4.out", "README"], [3, 4, None]),
        (["a/rank-3/x.log", "a/rank_12.txt"], [3, 12]),
        (
            ["n0/job_a/attempt_0/1/stderr.log", "n1/job_b/attempt_0/1/stderr.log"],
            ["n0/job_a:1", "n1/job_b:1"],
        ),
        (["left.log", "right.log"], ["left.log", "right.log"]),
        (["train.log"], [None]),
    ],
)
def test_the_rank_of_a_file_is_read_from_its_path(names, ranks):
    assert [log.rank for log in sources.list_logs(names)[0]] == ranks
