"""What `dpkb.audit.watch()` costs in a long plain loop: time for each step, and memory as the run goes on.

python -m bench.watch [STEPS]

The same loop runs plain and watched, each in a process of its own. At 10 %, 50 % and 100 % of the steps it measures the
CPU seconds since the last such place and its resident memory. The memory of a watched run should grow as little between
50 % and 100 % as that of the plain one.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

_LOOP = """
import json, os, sys, time, torch
from contextlib import nullcontext
from torch import nn

steps, file = int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ""
torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 10))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
places = [max(steps // 10, 1), steps // 2, steps]
measured = []

def read_memory():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

def train():
    start = time.process_time()
    for step in range(1, steps + 1):
        inputs, labels = torch.randn(16, 16), torch.randint(10, (16,))
        loss = nn.functional.cross_entropy(model(inputs), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step in places:
            measured.append((step, time.process_time() - start, read_memory()))

if file:
    from dpkb.audit import watch
    with watch(json_lines=file):
        train()
else:
    train()
print(json.dumps(measured))
"""


class Place(NamedTuple):
    """A place in a run: the steps and CPU seconds until there, and the resident memory."""

    step: int
    seconds: float
    memory: int


def run_loop(steps: int, watched: bool) -> list[Place]:
    """Run the loop, and return what it measured."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "loop.py"
        program.write_text(_LOOP)
        file = [str(Path(folder) / "findings.jsonl")] if watched else []
        command = [sys.executable, str(program), str(steps), *file]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return [Place(*fields) for fields in json.loads(done.stdout.splitlines()[-1])]


def describe(plain: list[Place], watched: list[Place]) -> list[str]:
    """A line for each part of the run: the ratio of the times, and what both have grown since its start."""
    lines = []
    for (before, here), (watched_before, watched_here) in zip(
        pairwise([Place(0, 0, plain[0].memory), *plain]),
        pairwise([Place(0, 0, watched[0].memory), *watched]),
        strict=True,
    ):
        seconds = here.seconds - before.seconds
        watched_seconds = watched_here.seconds - watched_before.seconds
        steps = here.step - before.step
        lines.append(
            f"to step {here.step}: {watched_seconds / seconds:.2f} times the time of the plain loop "
            f"({(watched_seconds - seconds) / steps * 1e6:+.0f} µs a step); memory {watched_here.memory >> 20} MB, "
            f"{(watched_here.memory - watched_before.memory) / 2**20:+.1f} MB since the place before "
            f"(plain {here.memory >> 20} MB, {(here.memory - before.memory) / 2**20:+.1f} MB)"
        )
    return lines


def main() -> None:
    """Print the measurements."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("steps", nargs="?", type=int, default=100_000)
    options = parser.parse_args()
    plain, watched = (run_loop(options.steps, watched) for watched in (False, True))
    print("\n".join(describe(plain, watched)))


if __name__ == "__main__":
    main()
