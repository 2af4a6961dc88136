"""`dpkb lint --fix`: what it writes is right, and everything else stays as it was."""

import subprocess
import sys
from pathlib import Path

import pytest
from support import ROOT

from dpkb.catalogue.load import load
from dpkb.lint.fix import fixable, fixed_files
from dpkb.lint.project import Project
from dpkb.lint.run import Selection, lint_module
from dpkb.model import Outcome

CATALOGUE = load([ROOT])


def findings(path, *ids):
    module = Project([path]).module(path)
    return lint_module(module, Selection(frozenset(ids), hints=True))[0] if module else []


def is_fixed(entry, script):
    """Whether safe fixes remove all that the rule of the entry finds in its script."""
    own = findings(script.path, entry.id) if script.name.startswith("broken") else []
    return bool(own) and all(fixable(finding, unsafe=False) for finding in own)


BROKEN = [script for entry in CATALOGUE for script in entry.scripts
          if script.shows is not Outcome.HEALTHY and is_fixed(entry, script)]


@pytest.mark.slow
@pytest.mark.parametrize("script", BROKEN, ids=lambda script: f"{script.path.parent.name}-{script.name}")
def test_a_safe_fix_makes_the_script_healthy(script, tmp_path):
    copy = tmp_path / script.path.name
    copy.write_bytes(script.path.read_bytes())
    [(_, after, _)] = fixed_files(findings(copy), unsafe=False).values()
    copy.write_text(after)
    done = subprocess.run([sys.executable, copy], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode in (0, 77), done.stdout + done.stderr
    assert not [found for found in findings(copy) if fixable(found, unsafe=False)]


CASES = {
    "shuffle": ("from torch.utils.data import DataLoader, RandomSampler\n\n"
                "loader = DataLoader(data, 8, shuffle=True,  # the order\n"
                "                    sampler=RandomSampler(data))\n",
                "from torch.utils.data import DataLoader, RandomSampler\n\n"
                "loader = DataLoader(data, 8,  # the order\n"
                "                    sampler=RandomSampler(data))\n"),
    "an argument with a comment of its own": (
        "from torch.utils.data import DataLoader, RandomSampler\n"
        "loader = DataLoader(data,  # all\n    shuffle=True, sampler=RandomSampler(data))\n", None),
    "shuffle beside a sampler": (
        "from torch.utils.data import DataLoader, RandomSampler\n"
        "loader = DataLoader(data, shuffle=True, sampler=RandomSampler(data))  # é\n",
        "from torch.utils.data import DataLoader, RandomSampler\n"
        "loader = DataLoader(data, sampler=RandomSampler(data))  # é\n"),
    "shuffle beside a sampler that may be None": (
        "from torch.utils.data import DataLoader\n"
        "def make(data, sampler=None):\n    return DataLoader(data, sampler=sampler, shuffle=True)\n",
        "from torch.utils.data import DataLoader\n"
        "def make(data, sampler=None):\n"
        "    return DataLoader(data, sampler=sampler, shuffle=sampler is None)\n"),
    "set_epoch": (
        "from torch.utils.data import DataLoader, DistributedSampler\n"
        "def train(data, step, epochs, many):\n"
        "\tsampler = DistributedSampler(data) if many else None\n"
        "\tloader = DataLoader(data, sampler=sampler)\n"
        "\tfor epoch in range(epochs):\n\t\t# one pass\n\t\tfor x in loader:\n\t\t\tstep(x)\n",
        "from torch.utils.data import DataLoader, DistributedSampler\n"
        "def train(data, step, epochs, many):\n"
        "\tsampler = DistributedSampler(data) if many else None\n"
        "\tloader = DataLoader(data, sampler=sampler)\n"
        "\tfor epoch in range(epochs):\n\t\t# one pass\n"
        "\t\tif sampler is not None:\n\t\t    sampler.set_epoch(epoch)\n"
        "\t\tfor x in loader:\n\t\t\tstep(x)\n"),
    "layers": (
        "import torch as t\nclass Net(t.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.a = [t.nn.Linear(8, 8),\n                  t.nn.Linear(8, 2)]  # two\n"
        "        self.b = {'x': t.nn.Linear(1, 1)}; self.c = {1: t.nn.Linear(1, 1)}\n",
        "import torch as t\nclass Net(t.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.a = t.nn.ModuleList([t.nn.Linear(8, 8),\n                  t.nn.Linear(8, 2)])  # two\n"
        "        self.b = t.nn.ModuleDict({'x': t.nn.Linear(1, 1)}); self.c = {1: t.nn.Linear(1, 1)}\n"),
    "forward, loss and next in one file": (
        "import torch\nnet = torch.nn.Linear(1, 1)\n"
        "def train(loader, total = 0):\n    it = iter(loader)\n    for _ in range(9):\n"
        "        loss = net.forward( it.next() ).sum()\n        loss.backward()\n        total += loss\n",
        "import torch\nnet = torch.nn.Linear(1, 1)\n"
        "def train(loader, total = 0):\n    it = iter(loader)\n    for _ in range(9):\n"
        "        loss = net( next(it) ).sum()\n        loss.backward()\n        total += loss.detach()\n"),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_only_the_place_changes(dpkb_in_process, tmp_path, name, newline):
    before, after = CASES[name]
    file = tmp_path / "train.py"
    file.write_bytes(before.replace("\n", newline).encode())
    patch = dpkb_in_process("lint", "--diff", "train.py", cwd=tmp_path)
    assert file.read_bytes() == before.replace("\n", newline).encode()
    dpkb_in_process("lint", "--fix", "train.py", cwd=tmp_path)
    assert file.read_bytes() == (after or before).replace("\n", newline).encode()
    assert patch.returncode == (1 if after else 0) and ("+++ b/train.py" in patch.stdout) is bool(after)
    assert dpkb_in_process("lint", "--diff", "train.py", cwd=tmp_path).returncode == 0


def test_an_unsafe_fix_is_asked_for(dpkb_in_process, tmp_path):
    file = tmp_path / "train.py"
    file.write_text("import torch\ndef train(model, loader):\n    for x in loader:\n"
                    "        model.forward(x).sum().backward()\n")
    done = dpkb_in_process("lint", "--fix", cwd=tmp_path)
    assert done.returncode == 1 and "fixed 0 findings" in done.stderr and ".forward(" in file.read_text()
    done = dpkb_in_process("lint", "--fix", "--unsafe-fixes", cwd=tmp_path)
    assert done.returncode == 0 and "fixed 1 finding" in done.stderr and "model(x)" in file.read_text()


def test_another_encoding_stays(dpkb_in_process, tmp_path):
    file = tmp_path / "train.py"
    text = ("# -*- coding: latin-1 -*-\nimport torch\n"
            "net = torch.nn.Linear(1, 1)  # é\nnet.requires_grad = False\n")
    file.write_bytes(text.encode("latin-1"))
    assert dpkb_in_process("lint", "--fix", cwd=tmp_path).returncode == 0
    assert file.read_bytes() == text.replace("grad = False", "grad_(False)").encode("latin-1")


def test_the_summary_names_what_can_be_fixed(dpkb_in_process):
    path = Path(__file__).parent / "examples" / "n3_wrong.py"
    assert "--fix corrects" in dpkb_in_process("lint", path).stdout
