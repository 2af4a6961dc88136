"""What `dpkb audit` costs: runs programs with and without it in turn, and compares their CPU times and losses.

    python -m bench.audit [--only PROGRAM] [--rounds N] [--length N] [--python PATH] [--device cuda]

Each program measures its own training loop, so the start of Python and torch does not count. Two runs take turns on
one core, so whatever else the machine does slows both: runs after one another differed by up to 8 %, such a pair by
0.5 %. A round has a pair of plain runs, and a pair of a plain and an audited one. The benchmark prints the medians of
both ratios of CPU time (of the process and its children); the first should be 1. If it is not within 2 % of 1, the
program is run again.

The audit inspects most in the first steps, for 0.07 s and 0.5 % of the time in each process, workers included.
With --length 1 the first three programs take a few seconds, and this is a large share of them. By default
they are 4 times as long. The last program has so many short steps that it shows what each later step costs.

With --device cuda, all programs but the one with gloo ranks train on the GPU, with deterministic algorithms:
otherwise the losses of two runs differ even without the audit.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import textwrap
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from dpkb.audit.guest_half import environment_variables

_RESNET = """
    import os, time, torch
    from torch import nn
    from torch.utils.data import DataLoader, Dataset

    class Images(Dataset):
        def __len__(self):
            return 1600
        def __getitem__(self, index):
            generator = torch.Generator().manual_seed(index)
            image = torch.rand(3, 32, 32, generator=generator)
            return (image - image.mean()) / image.std(), index % 10

    class Block(nn.Module):
        def __init__(self, channels, out, stride):
            super().__init__()
            self.body = nn.Sequential(
                nn.Conv2d(channels, out, 3, stride, 1, bias=False), nn.BatchNorm2d(out), nn.ReLU(),
                nn.Conv2d(out, out, 3, 1, 1, bias=False), nn.BatchNorm2d(out))
            self.skip = nn.Sequential(nn.Conv2d(channels, out, 1, stride, bias=False), nn.BatchNorm2d(out))
        def forward(self, x):
            return torch.relu(self.body(x) + self.skip(x))

    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = nn.Sequential(nn.Conv2d(3, 16, 3, 1, 1), Block(16, 16, 1), Block(16, 32, 2), Block(32, 64, 2),
                          nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10)).to(DEVICE)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    loader = DataLoader(Images(), batch_size=32, shuffle=True, num_workers=1)
    losses, start, cpu_start = [], time.perf_counter(), sum(os.times()[:4])
    for epoch in range(3 * LENGTH):
        for images, labels in loader:
            loss = nn.functional.cross_entropy(model(images.to(DEVICE)), labels.to(DEVICE))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
"""
_TRANSFORMER = """
    import os, time, torch
    from torch import nn

    torch.manual_seed(0)
    torch.set_num_threads(1)
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = nn.Embedding(200, 64)
            self.layers = nn.ModuleList([nn.TransformerEncoderLayer(64, 4, 128) for _ in range(4)])
            self.out = nn.Linear(64, 200)
        def forward(self, tokens):
            x = self.embedding(tokens)
            for layer in self.layers:
                x = layer(x)
            return self.out(x)

    model = Model().to(DEVICE)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    losses, start, cpu_start = [], time.perf_counter(), sum(os.times()[:4])
    for step in range(300 * LENGTH):
        tokens = torch.randint(200, (33, 8)).to(DEVICE)
        loss = nn.functional.cross_entropy(model(tokens[:-1]).reshape(-1, 200), tokens[1:].reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
"""
_RANKS = """
    import os, tempfile, time, torch
    import torch.distributed as dist
    from torch import nn
    from torch.nn.parallel import DistributedDataParallel

    def train(rank, folder, results):
        torch.set_num_threads(1)
        dist.init_process_group("gloo", init_method="file://" + folder + "/store", rank=rank, world_size=2)
        torch.manual_seed(rank)
        model = DistributedDataParallel(nn.Sequential(
            nn.Linear(256, 512), nn.ReLU(), nn.Dropout(0.1), nn.Linear(512, 512), nn.ReLU(),
            nn.Linear(512, 10)))
        optimizer = torch.optim.Adam(model.parameters())
        for step in range(300 * LENGTH):
            inputs, labels = torch.randn(128, 256), torch.randint(10, (128,))
            loss = nn.functional.cross_entropy(model(inputs), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            results[rank, step] = loss.item()
        dist.barrier()

    folder = tempfile.mkdtemp()
    results = torch.zeros(2, 300 * LENGTH, dtype=torch.float64).share_memory_()
    start, cpu_start = time.perf_counter(), sum(os.times()[:4])
    torch.multiprocessing.start_processes(train, args=(folder, results), nprocs=2, start_method="fork")
    losses = results.flatten().tolist()
"""
_SHORT_STEPS = """
    import os, time, torch
    from torch import nn

    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 10)).to(DEVICE)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    losses = []
    for step in range(12000):
        if step == 4000:
            start, cpu_start = time.perf_counter(), sum(os.times()[:4])
        inputs, labels = torch.randn(16, 16).to(DEVICE), torch.randint(10, (16,)).to(DEVICE)
        loss = nn.functional.cross_entropy(model(inputs), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    losses = losses[4000:]
"""
_DETERMINISTIC = """
import os
os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"
import torch
torch.use_deterministic_algorithms(True)
"""
_END = """
    import json
    seconds = time.perf_counter() - start
    print(json.dumps({"seconds": seconds, "cpu_seconds": sum(os.times()[:4]) - cpu_start, "losses": losses}))
"""
# glibc returns freed memory to the system when the end of the heap is free, which is so by chance: steps of the same
# plain run had 10 to 6,000 page faults, and took 46 to 60 ms. https://man7.org/linux/man-pages/man3/mallopt.3.html
_KEEP_MEMORY = {"MALLOC_TRIM_THRESHOLD_": str(1 << 30), "MALLOC_MMAP_THRESHOLD_": str(1 << 30)}
# Two plain runs of a quiet machine differ by less than this, as a median. Otherwise, a program is run this often.
_QUIET = 0.02
_TRIES = 3
PROGRAMS = {
    "resnet, 1 worker": _RESNET,
    "transformer": _TRANSFORMER,
    "2 gloo ranks": _RANKS,
    "short steps, later": _SHORT_STEPS,
}


@dataclass(frozen=True)
class Run:
    """The measurements that a program printed of its training loop."""

    seconds: float
    # User and system time of the process and of its children that have ended.
    cpu_seconds: float
    losses: list[float]


def start_program(python: str, program: Path, folder: Path, audited: bool) -> subprocess.Popen[str]:
    """Start a program in a new folder, with the audit or without, on the first of the cores that may be used."""
    folder.mkdir()
    added = environment_variables(folder, None) if audited else {}
    # With this variable, the modules of the audit would be compiled in each run.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    process = subprocess.Popen(
        [python, str(program)],
        env={**environment, **_KEEP_MEMORY, **added},
        cwd=folder,
        stdout=subprocess.PIPE,
        text=True,
    )
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(process.pid, [min(os.sched_getaffinity(0))])
    return process


def run_pair(python: str, program: Path, audited: bool, reverse: bool) -> tuple[Run, Run]:
    """Run a program twice at the same time, the second one with the audit or not. reverse: start that one first."""
    with tempfile.TemporaryDirectory() as folder:
        processes = {
            second: start_program(python, program, Path(folder, str(second)), audited and second)
            for second in (reverse, not reverse)
        }
        texts = {second: process.communicate()[0] for second, process in processes.items()}
    if any(process.returncode for process in processes.values()):
        sys.exit("the program failed")
    plain, other = (Run(**json.loads(texts[second].splitlines()[-1])) for second in (False, True))
    return plain, other


def describe_cost(name: str, plain: list[tuple[Run, Run]], audited: list[tuple[Run, Run]]) -> str:
    """Say in two lines what the audit costs, from the pairs of plain runs and those with an audited one."""
    steps = len(plain[0][0].losses)
    equal = all(run.losses == plain[0][0].losses for pair in (*plain, *audited) for run in pair)
    plain_ratio, ratios = median(_ratios(plain)), sorted(_ratios(audited))
    cost = median(other.cpu_seconds - one.cpu_seconds for one, other in audited) / steps
    return (
        f"{name}: CPU time {median(ratios):.3f} times that without the audit ({ratios[0]:.3f} to "
        f"{ratios[-1]:.3f}), two plain runs {plain_ratio:.3f}\n"
        f"    for each of {steps} steps {cost * 1e6:.0f} µs of CPU time more (median); "
        f"losses {'equal' if equal else 'DIFFERENT'}"
    )


def _ratios(pairs: list[tuple[Run, Run]]) -> list[float]:
    return [other.cpu_seconds / one.cpu_seconds for one, other in pairs]


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=PROGRAMS, help="run this program alone")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--length", type=int, default=4)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    options = parser.parse_args()
    start = f"LENGTH, DEVICE = {options.length}, {options.device!r}\n"
    if options.device == "cuda":
        start += _DETERMINISTIC
    for name, text in PROGRAMS.items():
        if options.only not in (None, name):
            continue
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "program.py"
            program.write_text(start + textwrap.dedent(text) + textwrap.dedent(_END))
            for _ in range(_TRIES):
                plain: list[tuple[Run, Run]] = []
                audited: list[tuple[Run, Run]] = []
                for number in range(options.rounds):
                    for pairs in (plain, audited):
                        pairs.append(run_pair(options.python, program, pairs is audited, bool(number % 2)))
                if abs(median(_ratios(plain)) - 1) <= _QUIET:
                    break
        print(describe_cost(name, plain, audited), flush=True)


if __name__ == "__main__":
    main()
