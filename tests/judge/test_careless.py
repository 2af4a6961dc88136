"""Forty pairs with careless faults: none of them passes check, verify and mutate.

unseen.txt was written before the rules, and nobody looked at it while they were written.
"""

import json
import subprocess
import sys

import pytest
from support import ROOT, careless_pairs


def run(*command):
    done = subprocess.run(
        [sys.executable, "-m", *map(str, command), "--json"],
        cwd=ROOT,
        text=True,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


FILES = ("seen.txt", "unseen.txt")
MUTANTS = [word for kind in ("FIX undone", "work emptied", "never reached") for word in ("--kind", kind)]


@pytest.fixture(scope="module")
def pairs():
    """All pairs, as entries: id -> (file, pair)."""
    every = [(file, pair) for file in FILES for pair in careless_pairs.read_pairs(file)]
    return {f"ZZ{number}": row for number, row in enumerate(every, 1)}


@pytest.fixture(scope="module")
def caught(pairs, tmp_path_factory):
    """The ids of the pairs that each tool caught, among those that the tools before it had not caught."""
    folder = tmp_path_factory.mktemp("careless")
    for entry_id, (_, pair) in pairs.items():
        pair.write(folder, entry_id)
    problems = run("dpkb", "check", "--kb", folder)["problems"]
    by_check = {
        entry_id
        for entry_id, (_, pair) in pairs.items()
        if any(f"/{entry_id.lower()}_{pair.name}/" in problem["path"] for problem in problems)
    }
    left = pairs.keys() - by_check
    results = run("dpkb", "verify", *left, "--trust", "--kb", folder)["results"]
    by_verify = {result["id"] for result in results if result["verdict"] != "confirmed"}
    survivors = run("tools.mutate", *left - by_verify, "--trust", "--kb", folder, *MUTANTS)["survivors"]
    return {"check": by_check, "verify": by_verify, "mutate": {survivor["id"] for survivor in survivors}}


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES)
def test_no_careless_pair_passes(pairs, caught, file):
    own = {entry_id for entry_id, (source, _) in pairs.items() if source == file}
    assert len(own) == 20
    assert [pairs[entry_id][1].name for entry_id in own.difference(*caught.values())] == []
    for tool, ids in caught.items():
        assert ids & own, f"{tool} catches nothing that the tools before it have not caught"
