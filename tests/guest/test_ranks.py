"""A script that starts ranks, run by two torchrun agents with one rank each, as on two machines."""

import contextlib
import json
import os
import random
import socket
import subprocess
import sys

import psutil
import pytest
from support import ROOT

RANKS = ROOT / "dpkb/guest/ranks.py"


def of_dp3(name):
    """A script of DP3 with a longer timeout: a machine under load needs more than a minute."""
    text, bound = (ROOT / "reproducers/dp3_uneven_shards" / name).read_text(), "timedelta(seconds=60)"
    assert bound in text
    return text.replace(bound, "timedelta(seconds=600)")


def free_port():
    """A port of the loopback that is not in use.

    A process that asks for any port gets none of these, so it stays free until torchrun binds it.
    """
    for port in random.sample(range(20_000, 30_000), 100):
        with socket.socket() as free, contextlib.suppress(OSError):
            free.bind(("127.0.0.1", port))
            return port
    raise OSError("no free port")


# Two torchrun agents, as forks of one process that has imported torch. Their output is in 0.out, 0.err and so
# on; their exit codes are printed.
AGENTS = """
import os, sys
from torch.distributed.run import main

agents = []
for node in ("0", "1"):
    agents.append(os.fork())
    if agents[-1] == 0:
        for descriptor, name in ((1, "out"), (2, "err")):
            os.dup2(os.open(f"{node}.{name}", os.O_WRONLY | os.O_CREAT), descriptor)
        main(["--node-rank", node, *sys.argv[1:]])
        sys.exit()
for agent in agents:
    print(os.waitstatus_to_exitcode(os.waitpid(agent, 0)[1]))
"""


def two_agents(text, folder):
    """Exit code, stdout and stderr of each of two torchrun agents that run this script."""
    script = folder / "script.py"
    script.write_text(text)
    # torchrun leaves its logs and error files in the temporary folder.
    temporary = folder / "t"
    temporary.mkdir()
    command = [
        sys.executable,
        "-c",
        AGENTS,
        "--nnodes",
        "2",
        "--nproc-per-node",
        "1",
        "--master-addr",
        "127.0.0.1",
        "--master-port",
        free_port(),
        RANKS,
        script,
    ]
    with subprocess.Popen(
        list(map(str, command)),
        stdout=subprocess.PIPE,
        cwd=folder,
        text=True,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "TMPDIR": str(temporary)},
    ) as agents:
        try:
            codes = agents.communicate(timeout=900)[0].split()
        finally:
            for left in psutil.Process(agents.pid).children(recursive=True) if agents.poll() is None else ():
                with contextlib.suppress(psutil.Error):
                    left.kill()
    return [
        (int(code), (folder / f"{node}.out").read_text(), (folder / f"{node}.err").read_text())
        for node, code in enumerate(codes)
    ]


@pytest.mark.slow
def test_rank_0_prints_the_result_of_both_machines(tmp_path):
    first, second = two_agents(of_dp3("fixed.py"), tmp_path)
    assert (first[0], second[0]) == (0, 0), first[2] + second[2]
    (line,) = [line for line in first[1].splitlines() if line.startswith("OBSERVED ")]
    assert json.loads(line.split(" ", 1)[1]) == {"healthy": True, "steps_by_rank": [5, 5]}
    assert "OBSERVED" not in second[1]


@pytest.mark.slow
def test_an_error_of_another_rank_is_raised_on_rank_0(tmp_path):
    first, second = two_agents(of_dp3("broken.py"), tmp_path)
    assert first[0] == second[0] == 1
    assert "RuntimeError: rank 1 of the script failed:" in first[2]
    assert "OBSERVED" not in first[1] + second[1]


# Rank 0 would wait longer than the test does, and no timeout of a library ends it.
WAITS = """
import time
import torch

def work(rank):
    if rank:
        raise ValueError("wrong")
    time.sleep(1_000)

if __name__ == "__main__":
    torch.multiprocessing.start_processes(work, nprocs=2, start_method="fork")
"""


@pytest.mark.slow
def test_a_rank_that_waits_ends_when_another_has_failed(tmp_path):
    first, second = two_agents(WAITS, tmp_path)
    assert first[0] == second[0] == 1
    assert "rank 1 of the script failed:" in first[2] and "ValueError: wrong" in first[2]


# No script of the catalogue prints what it sees of its process, or shares tensors of these shapes.
SEEN = """
import json, os, sys
import torch

def work(rank, folder, table, flags):
    table[rank, 2] = value
    table[rank, 0] = -1
    flags[rank] = rank == 1
    assert os.path.isdir(folder)

if __name__ == "__main__":
    value = 7.5  # only a forked rank sees this; ranks.py starts ranks in its own way
    table, flags = torch.zeros(2, 3).share_memory_(), torch.zeros(2, dtype=torch.bool).share_memory_()
    torch.multiprocessing.spawn(work, args=(".", table, flags), nprocs=2)
    print("OBSERVED", json.dumps({"table": table.tolist(), "flags": flags.tolist(), "argv": sys.argv,
                                  "first": sys.path[0], "name": __name__}))
"""


@pytest.mark.slow
def test_a_script_runs_as_without_torchrun_and_gets_every_cell(tmp_path):
    first, second = two_agents(SEEN, tmp_path)
    assert (first[0], second[0]) == (0, 0), first[2] + second[2]
    assert json.loads(first[1].split("OBSERVED ", 1)[1]) == {
        "table": [[-1.0, 0.0, 7.5], [-1.0, 0.0, 7.5]],
        "flags": [False, True],
        "argv": [str(tmp_path / "script.py")],
        "first": str(tmp_path),
        "name": "__main__",
    }


@pytest.mark.slow
def test_a_wrong_number_of_ranks_is_reported(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SEEN)
    port = free_port()
    env = {"RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    done = subprocess.run(
        [sys.executable, RANKS, script],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **env},
        timeout=600,
    )
    assert done.returncode == 1 and not done.stdout
    assert "ranks.py: the script has 2 ranks and torchrun started 1; choose --nnodes" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("script", "env", "says"),
    [
        ("reproducers/dp7_wrong_len/fixed.py", {"RANK": "0", "WORLD_SIZE": "2"}, "starts no ranks"),
        ("reproducers/absent.py", {"RANK": "0", "WORLD_SIZE": "2"}, "No such file"),
        ("reproducers/dp3_uneven_shards/fixed.py", {}, "usage: torchrun"),
    ],
)
def test_a_script_that_cannot_run_is_reported_in_one_line(script, env, says):
    done = subprocess.run(
        [sys.executable, RANKS, ROOT / script],
        capture_output=True,
        text=True,
        check=False,
        env={k: v for k, v in os.environ.items() if k != "RANK"} | env,
    )
    assert done.returncode == 1 and says in done.stderr and len(done.stderr.splitlines()) == 1
