"""A script that launches ranks, run by two torchrun agents instead: one rank each, as on two machines."""

import json
import os
import socket
import subprocess
import sys

import pytest
from conftest import ROOT

RANKS = ROOT / "dpkb/ranks.py"


def two_agents(script, folder):
    """Exit code, stdout and stderr of each of two torchrun agents that run the script."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    agents = []
    for node in range(2):
        command = [sys.executable, "-m", "torch.distributed.run", "--nnodes", "2", "--nproc-per-node", "1",
                   "--node-rank", node, "--master-addr", "127.0.0.1", "--master-port", port, RANKS, script]
        with open(folder / f"{node}.out", "wb") as out, open(folder / f"{node}.err", "wb") as err:
            agents.append(subprocess.Popen(list(map(str, command)), stdout=out, stderr=err, cwd=folder,
                                           stdin=subprocess.DEVNULL))
    try:
        codes = [agent.wait(timeout=900) for agent in agents]
    finally:
        for agent in agents:
            agent.kill()
    return [(code, (folder / f"{node}.out").read_text(), (folder / f"{node}.err").read_text())
            for node, code in enumerate(codes)]


@pytest.mark.reproducers
def test_rank_0_judges_what_both_machines_saw(tmp_path):
    first, second = two_agents(ROOT / "reproducers/dp3_uneven_shards/fixed.py", tmp_path)
    assert (first[0], second[0]) == (0, 0), first[2] + second[2]
    (line,) = [line for line in first[1].splitlines() if line.startswith("OBSERVED ")]
    assert json.loads(line.split(" ", 1)[1]) == {"healthy": True, "steps_by_rank": [5, 5]}
    assert "OBSERVED" not in second[1]


@pytest.mark.reproducers
def test_what_a_rank_elsewhere_raises_is_raised_on_rank_0(tmp_path):
    first, second = two_agents(ROOT / "reproducers/dp3_uneven_shards/broken.py", tmp_path)
    assert first[0] == second[0] == 1
    assert "RuntimeError: rank 1 of the script failed:" in first[2]
    assert "OBSERVED" not in first[1] + second[1]


@pytest.mark.parametrize(("script", "env", "says"), [
    ("reproducers/dp7_wrong_len/fixed.py", {"RANK": "0", "WORLD_SIZE": "2"}, "launches no ranks"),
    ("reproducers/absent.py", {"RANK": "0", "WORLD_SIZE": "2"}, "No such file"),
    ("reproducers/dp3_uneven_shards/fixed.py", {}, "usage: torchrun"),
])
def test_what_it_cannot_run_is_said_in_one_line(script, env, says):
    done = subprocess.run([sys.executable, RANKS, ROOT / script], capture_output=True, text=True, check=False,
                          env={k: v for k, v in os.environ.items() if k != "RANK"} | env)
    assert done.returncode == 1 and says in done.stderr and len(done.stderr.splitlines()) == 1
