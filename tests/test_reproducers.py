"""Every script of every entry, run through dpkb: what it shows must be what its entry claims.

One `dpkb verify` runs them all in parallel; each script is a test case.
"""

import io
import json
import subprocess
import sys

import pytest
from support import ROOT

from dpkb.catalogue.load import load
from dpkb.diagnosis.conclusion import diagnose
from dpkb.diagnosis.match import Signatures
from dpkb.judge.verdict import judge
from dpkb.model import Outcome
from dpkb.run_records import Verdict

pytestmark = pytest.mark.reproducers
CATALOGUE = load([ROOT])
SIGNATURES = Signatures(CATALOGUE)
SCRIPTS = [(entry.id, name) for entry in CATALOGUE for name in entry.script_names]
# Failures with an error message that a user may paste, of entries that have signatures.
SAYS_WHY = (Outcome.RAISED, Outcome.HUNG, Outcome.KILLED)
LOUD = [
    (entry.id, script.name)
    for entry in CATALOGUE
    if entry.signatures
    for script in entry.scripts
    if script.name.startswith("broken") and script.shows in SAYS_WHY
]


@pytest.fixture(scope="module")
def verified():
    done = subprocess.run(
        [sys.executable, "-m", "dpkb", "verify", "--json"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def results(verified):
    return {(row["id"], row["script"]): row for row in verified["results"]}


@pytest.mark.parametrize(("entry_id", "name"), SCRIPTS, ids=[f"{i}-{n}" for i, n in SCRIPTS])
def test_the_claim_holds_here(results, entry_id, name):
    row = results[entry_id, name]
    if row["verdict"] == "skipped":
        pytest.skip(row["seen"])
    assert row["verdict"] == "confirmed", json.dumps(row, indent=1)


@pytest.mark.parametrize(("entry_id", "name"), LOUD, ids=[f"{i}-{n}" for i, n in LOUD])
def test_the_stderr_of_a_failure_leads_to_its_entry(results, entry_id, name):
    row = results[entry_id, name]
    if row["verdict"] == "skipped" or not row["affected"]:
        pytest.skip("does not fail here: " + row["seen"])
    found = diagnose(io.BytesIO(row["stderr"].encode()), SIGNATURES).matches
    assert entry_id in [match.id for match in found], row["stderr"]


@pytest.mark.parametrize("entry", list(CATALOGUE), ids=lambda entry: entry.id)
def test_a_swapped_pair_would_be_caught(results, verified, entry):
    """The outcome of each script, judged by the claim of the other, is refuted."""
    for claimed, run in (("broken", "fixed"), ("fixed", "broken")):
        row = results[entry.id, run]
        if row["verdict"] == "skipped":
            pytest.skip(row["seen"])
        judged = judge(
            entry.find_script(claimed),
            Outcome(row["outcome"]),
            row["seen"],
            [row["seen"]],
            verified["environment"],
        )
        assert judged.verdict is Verdict.REFUTED
