"""Forty pairs with careless faults: none of them passes check, verify and mutate.

unseen.txt was written before the rules, and nobody looked at it while they were written.
"""

import json
import subprocess
import sys

import pytest
from support import ROOT, careless_pairs


def run(*command):
    done = subprocess.run([sys.executable, "-m", *map(str, command), "--json"], cwd=ROOT, text=True,
                          capture_output=True, stdin=subprocess.DEVNULL, check=False)
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


FILES = ("seen.txt", "unseen.txt")


@pytest.fixture(scope="module")
def caught_by(tmp_path_factory):
    """The tools, each with the ids of the pairs that it caught of those that passed the tools before it."""
    folder = tmp_path_factory.mktemp("careless")
    left = {}
    for first, file in zip((1, 101), FILES, strict=True):
        for number, pair in enumerate(careless_pairs.pairs(file), first):
            left[f"ZZ{number}"] = pair
            pair.write(folder, f"ZZ{number}")
    problems = run("dpkb", "check", "--kb", folder)["problems"]
    by_check = {i for i, pair in left.items()
                if any(f"/{i.lower()}_{pair.name}/" in problem["path"] for problem in problems)}
    passed = left.keys() - by_check
    results = run("dpkb", "verify", *passed, "--trust", "--kb", folder)["results"]
    by_verify = {result["id"] for result in results if result["verdict"] != "confirmed"}
    passed -= by_verify
    kinds = [word for kind in ("FIX undone", "work emptied", "never reached") for word in ("--kind", kind)]
    survivors = run("tools.mutate", *passed, "--trust", "--kb", folder, *kinds)["survivors"]
    return left, {"check": by_check, "verify": by_verify, "mutate": {survivor["id"] for survivor in survivors}}


@pytest.mark.slow
@pytest.mark.parametrize("first", [1, 101], ids=FILES)
def test_no_careless_pair_passes(caught_by, first):
    pairs, tools = caught_by
    own = {f"ZZ{number}" for number in range(first, first + 20)}
    assert {pairs[i].name for i in own - set().union(*tools.values())} == set()
    for tool, ids in tools.items():
        assert ids & own, f"{tool} catches nothing that the tools before it have not caught"
