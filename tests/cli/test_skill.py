"""`dpkb skill`: every command that the instructions name is run, on a small training program."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from dpkb.output.documents import read_skill

# Layers in a list are not trained (N3).
TRAIN = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(4, 4) for _ in range(2)]
        self.head = nn.Linear(4, 1)

    def forward(self, x):
        for layer in self.layers:
            x = torch.tanh(layer(x))
        return self.head(x)


torch.manual_seed(0)
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(20):
    x = torch.randn(8, 4)
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    loss.backward()
    optimizer.step()
    print(step, loss.item())
"""
LOG = "RuntimeError: DataLoader worker (pid 3) is killed by signal: Bus error.\n"
# Commands that exit with 1 for this program. `dpkb doctor` exits with 0 or 1: that depends on the machine.
CODES = {
    "dpkb lint --json train.py": 1,
    "dpkb lint --diff --unsafe-fixes train.py": 1,
}
ANSWERS = {
    "dpkb diagnose --json train.log": '"DP15"',
    'dpkb search --json "DataLoader worker is killed by signal: Bus error"': '"DP15"',
    "dpkb lint --json train.py": '"N3"',
    "dpkb lint --diff --unsafe-fixes train.py": "+        self.layers = nn.ModuleList(",
    "dpkb audit --json before.json -- python train.py": "N3 certain",
    "dpkb audit --compare before.json -- python train.py": "gone: N3",
    "dpkb repro DP12": "confirmed",
    "dpkb repro DP12 --fixed": "confirmed",
}


def commands():
    """Every command line of the instructions, in their order."""
    text = read_skill()
    blocks = "\n".join(re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)).splitlines()
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return [line for line in blocks if line], re.findall(r"`(dpkb [^`]+)`", prose)


def test_the_skill_is_short_and_starts_with_a_name_and_a_description():
    front = yaml.safe_load(read_skill().split("---\n")[1])
    assert (
        front["name"] == "dpkb"
        and 100 < len(front["description"]) < 1024
        and set(front) == {"name", "description"}
    )
    assert len(read_skill().splitlines()) <= 90
    for topic in (
        "dpkb run",
        "dpkb diagnose",
        "dpkb audit",
        "--compare",
        "dpkb lint",
        "dpkb versions",
        "dpkb show",
        "--fixed",
        "certain",
        "likely",
        "hint",
        "# dpkb: ignore[",
        "exit code",
        "Q1",
        "Q2",
        "Q3",
        "Q4",
        "Q5",
    ):
        assert topic in read_skill(), topic


@pytest.mark.slow
def test_every_command_of_the_skill_runs(tmp_path):
    (tmp_path / "train.py").write_text(TRAIN)
    (tmp_path / "train.log").write_text(LOG)
    env = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}

    def run(line):
        done = subprocess.run(
            shlex.split(line),
            cwd=tmp_path,
            env=env,
            capture_output=True,
            text=True,
            timeout=600,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    in_blocks, in_prose = commands()
    assert len(in_blocks) >= 13 and len(in_prose) >= 6 and all(line.startswith("dpkb ") for line in in_blocks)
    for line in in_blocks:
        # `dpkb run` treats all programs alike: one without torch starts sooner.
        (tmp_path / "train.py").write_text("print(1)" if line.startswith("dpkb run ") else TRAIN)
        if "--compare" in line:
            code, output = run("dpkb lint --fix --unsafe-fixes train.py")
            assert code == 0, output
        code, output = run(line)
        assert code == CODES.get(line, 0), f"{line}: {code}\n{output}"
        assert ANSWERS.get(line, "") in output, f"{line}\n{output}"
    assert ANSWERS.keys() <= set(in_blocks)
    for line in in_prose:
        # These need arguments, so only their existence is tested.
        named_only = line in ("dpkb show", "dpkb run", "dpkb audit", "dpkb audit --strict")
        code, output = run(line + " --help" if named_only else line)
        assert code == 0 or (line == "dpkb doctor" and code == 1), f"{line}: {code}\n{output}"


def test_the_skill_is_printed_or_written_and_overwrites_nothing(dpkb_in_process, tmp_path):
    assert dpkb_in_process("skill").stdout == read_skill()
    target = tmp_path / "agent" / "skills" / "SKILL.md"
    assert dpkb_in_process("skill", "--output", target).returncode == 0
    assert target.read_text() == read_skill()
    target.write_text("mine")
    for path in (target, target.parent):
        done = dpkb_in_process("skill", "--output", path)
        assert done.returncode == 2 and "already exists" in done.stderr
    assert target.read_text() == "mine"


def test_a_slash_at_the_end_names_a_folder_that_does_not_exist_yet(dpkb_in_process, tmp_path):
    assert dpkb_in_process("skill", "--output", f"{tmp_path}/skills/dpkb/").returncode == 0
    assert (tmp_path / "skills/dpkb/SKILL.md").read_text() == read_skill()
