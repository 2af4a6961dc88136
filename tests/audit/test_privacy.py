"""Nothing of the data gets into what audit, watch and the explanations of exceptions write.

The program has a word in each text, file name and key of its data that its code does not have, and token ids that
nothing else counts.
"""

import os
import re
import subprocess
import sys

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="runs commands with a shell, in forked workers"),
]

# Its checks read attributes, keys, indices, texts and ids: it has DP1, DP9, DP14, DP18, DP22, O14 and O38.
PROGRAM = """
import os, random, shutil, sys, torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, Sampler

word = "".join(chr(ord(letter) + 1) for letter in "rdbqds")

class Rows(Dataset):
    def __init__(self):
        self.kept = {f"/data/{word}_{number}.png": {"pixels": b"x"} for number in range(64)}
        self.folder = f"/data/{word}_first"
        self.random = {f"{word} word": random.Random(0)}
        self.caches = {f"{word}.csv": Cache()}
    def __len__(self):
        return 64
    def __getitem__(self, name):
        row = int(name.rpartition("_")[2].partition(".")[0])
        noise = self.random[f"{word} word"].random()
        self.caches[f"{word}.csv"].texts[name] = f"{self.folder} {word} {row} {noise}" * 9
        ids = torch.arange(4) * 300_000 + 768901 + row * 2062
        return {f"{word} key": f"{word} text {row}", "ids": ids, "file": name}

class Cache:
    def __init__(self):
        self.texts = {}

class Files(Sampler):
    def __init__(self, names):
        self.names = names
    def __len__(self):
        return len(self.names)
    def __iter__(self):
        return iter(random.Random(7).sample(self.names, len(self.names)))

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(2_000_000, 1, sparse=True)
        self.head = nn.Linear(1, 2)
    def forward(self, ids):
        return self.head(self.tokens(ids.bfloat16().long()).mean(1))

def main(staying):
    rows, net = Rows(), Net()
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    files = Files(list(rows.kept))
    loader = DataLoader(rows, batch_size=8, sampler=files, num_workers=2, persistent_workers=staying)
    for epoch in range(3):
        for batch in loader:
            loss = nn.functional.cross_entropy(net(batch["ids"]).softmax(1), batch["ids"][:, 0] % 2)
            loss.backward()
            optimizer.step()
        rows.folder = f"/data/{word}_{epoch}"
    torch.save({word: 1, "weights": net.state_dict(), "count": 768901}, "checkpoint.pt")
    torch.load("checkpoint.pt")
    fail({name: batch["ids"] + 62 for name in rows.kept}, batch)

def fail(by_file, batch):
    by_word = {f"{word} word": batch["ids"] * 3, f"{word}.txt": batch["ids"] * 5}
    raise RuntimeError("mat1 and mat2 shapes cannot be multiplied (8x512 and 510x2)")

if __name__ == "__main__":
    RUN
"""
WATCHED = """
    from dpkb.audit import watch
    with watch(json_lines="found.jsonl", hints=True) as report:
        try:
            main(staying=False)
        except RuntimeError:
            shutil.copytree(os.environ["DPKB_AUDIT_FOLDER"], "journals")
    print(report)
"""
# What the system counts, digests, and the only values of data that are shown: the extremes of whole numbers at a failure.
ALLOWED = re.compile(r'"(\w*pids?|parent|at|time|\w*bytes)": (\[[^]]*\]|[\d.]+)|"[\da-f]{8}"|, \d+ to \d+')
IDS = {768901 + place * 300_000 + row * 2062 for place in range(4) for row in range(64)}


@pytest.fixture
def write(tmp_path):
    """write(options, run) -> what a run prints and leaves, its journals included, by name."""

    def write(options, run="main(staying=True)", fails=True):
        program = tmp_path / "train.py"
        program.write_text(PROGRAM.replace("RUN", run.strip()))
        copy = (
            'code=$?; if [ "$DPKB_AUDIT_FOLDER" ]; then cp -r "$DPKB_AUDIT_FOLDER" journals; fi; exit $code'
        )
        command = (
            ["sh", "-c", f"{sys.executable} train.py; {copy}"]
            if options and options[-1] == "--"
            else ["train.py"]
        )
        done = subprocess.run(
            [sys.executable, *options, *command],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            env={**os.environ, "COLUMNS": "400"},
        )
        assert bool(done.returncode) is fails, done.stderr
        for path in (program, tmp_path / "checkpoint.pt"):  # of the program itself
            path.unlink()
        left = {path.name: path.read_text("latin-1") for path in tmp_path.rglob("*") if path.is_file()}
        return {"stdout": done.stdout, "stderr": done.stderr, **left}

    return write


def find_data(written):
    """The places where a text or an id of the data is written."""
    import torch

    cast = set(torch.tensor(sorted(IDS)).bfloat16().long().tolist())
    ids = {
        factor * number + more for number in IDS | cast for factor, more in ((1, 0), (1, 62), (3, 0), (5, 0))
    }
    found = []
    for name, text in written.items():
        text = ALLOWED.sub("", text)
        found += [
            (name, text[max(at.start() - 80, 0) : at.end() + 40]) for at in re.finditer("secret", name + text)
        ]
        found += [(name, number) for number in re.findall(r"\d+", text) if int(number) in ids]
    return found


def find_ids(written, name):
    return set(re.findall(r'"id": "(\w+)"', written[name]))


def test_audit_and_its_journals(write):
    options = ("-m", "dpkb", "audit", "--hints", "--json", "report.json", "--json-lines", "found.jsonl")
    options += ("--trace", "steps", "--")
    written = write(options)
    assert find_ids(written, "report.json") >= {"DP1", "DP14", "DP18", "DP22", "O14", "O38", "S1"}
    assert sum(name.endswith(".jsonl") for name in written) == 4  # of three processes, and the findings
    assert "int64 (8, 4) on cpu, " in written["stderr"]
    assert written["steps"].count('"passes"') == 24
    assert find_data(written) == []


def test_watch(write):
    written = write((), WATCHED, fails=False)
    assert find_ids(written, "found.jsonl") >= {"DP1", "DP9", "DP14", "DP22", "O14", "O38"}
    assert find_data(written) == []


def test_explained_exceptions(write):
    written = write(("-m", "dpkb", "run", "--tensors", "--"))
    assert "    by_word[key 0]  int64 (8, 4) on cpu, " in written["stderr"]
    assert sum(name.endswith(".jsonl") for name in written) == 1
    assert find_data(written) == []
    written = write(("-m", "dpkb.traceback"))
    assert "    batch['ids']    int64 (8, 4) on cpu, " in written["stderr"]
    assert find_data(written) == []
