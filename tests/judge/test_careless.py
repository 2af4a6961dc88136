"""Forty pairs with careless faults: none of them passes check, verify and mutate.

unseen.txt was written before the rules, and nobody looked at it while they were written.
"""

import json
import os
import subprocess
import sys

import pytest
from support import ROOT, careless_pairs


def run(*command):
    done = subprocess.run([sys.executable, "-m", *map(str, command), "--json"], cwd=ROOT, text=True,
                          capture_output=True, stdin=subprocess.DEVNULL, check=False, env=os.environ)
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("file", ["seen.txt", "unseen.txt"])
def test_no_careless_pair_passes(file, tmp_path):
    left = {f"ZZ{number}": pair for number, pair in enumerate(careless_pairs.pairs(file), 1)}
    assert len(left) == 20
    for entry_id, pair in left.items():
        pair.write(tmp_path, entry_id)
    problems = run("dpkb", "check", "--kb", tmp_path)["problems"]
    paths = [problem["path"] for problem in problems]
    left = {i: pair for i, pair in left.items()
            if not any(f"/{i.lower()}_{pair.name}/" in path for path in paths)}
    results = run("dpkb", "verify", *left, "--trust", "--kb", tmp_path)["results"]
    caught = {result["id"] for result in results if result["verdict"] != "confirmed"}
    left = {i: pair for i, pair in left.items() if i not in caught}
    # Each of the three catches some: none of them is there for nothing.
    assert 0 < len(left) < len(caught) + len(left) < 20
    kinds = [word for kind in ("FIX undone", "work emptied", "never reached") for word in ("--kind", kind)]
    survivors = run("tools.mutate", *left, "--trust", "--kb", tmp_path, *kinds)["survivors"]
    assert {pair.name for i, pair in left.items() if i not in {s["id"] for s in survivors}} == set()
