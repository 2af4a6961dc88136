"""`python -m tools.mutate`: sound pairs have no survivor, and a survivor is listed."""

import json
import os
import signal
import subprocess
import sys

import pytest
from support import ROOT
from support.mutant_pair import write_pair

from dpkb.scripts.rules import MAX_LINES

COMMAND = [sys.executable, "-m", "tools.mutate"]


@pytest.fixture
def mutate():
    def run(*arguments):
        return subprocess.run(
            [*COMMAND, *map(str, arguments)],
            cwd=ROOT,
            text=True,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            check=False,
        )

    return run


@pytest.mark.slow
def test_every_mutant_of_a_sound_pair_is_noticed(mutate, tmp_path):
    done = mutate("ZZ1", "--kb", write_pair(tmp_path / "kb"), "--trust", "--json")
    report = json.loads(done.stdout)
    assert done.returncode == 0, report["survivors"]
    counts = report["summary"]
    assert report["version"] == 1
    assert counts["survived"] == counts["not tested"] == 0
    assert counts["check"] > 10 and counts["verify"] > 5
    assert counts["check"] + counts["verify"] == counts["total"]


@pytest.mark.slow
def test_a_fix_that_changes_nothing_survives_and_is_listed(mutate, tmp_path):
    folder = write_pair(tmp_path / "kb", more="patience = 3  # FIX: wait for it\n")
    done = mutate("ZZ1", "--kb", folder, "--trust", "--kind", "FIX removed")
    assert done.returncode == 1, done.stderr
    assert "ZZ1 fixed: FIX removed" in done.stdout and "confirmed: a healthy run" in done.stdout
    assert "-patience = 3  # FIX: wait for it" in done.stdout
    assert done.stdout.count("ZZ1 fixed: FIX removed") == 1


@pytest.mark.slow
def test_a_mutant_that_is_too_long_is_run(mutate, tmp_path):
    folder = write_pair(tmp_path / "kb", more="patience = 3  # FIX: wait for it\n")
    fixed, broken = (folder / f"reproducers/zz1_made/{name}.py" for name in ("fixed", "broken"))
    # As long as is allowed. A mutant has one line more: the mark at its end.
    empty_lines = "\n" * (MAX_LINES - fixed.read_text().count("\n"))
    for path in (fixed, broken):
        path.write_text(path.read_text().replace("def limit", f"{empty_lines}def limit"))
    done = mutate("ZZ1", "--kb", folder, "--trust", "--kind", "FIX removed")
    assert "ZZ1 fixed: FIX removed" in done.stdout and done.returncode == 1, done.stderr


def test_nothing_of_an_added_catalogue_runs_without_trust(mutate, tmp_path):
    done = mutate("ZZ1", "--kb", write_pair(tmp_path / "kb"))
    assert done.returncode == 2 and "--trust" in done.stderr and "Traceback" not in done.stderr


def test_what_check_reports_is_corrected_first(mutate, tmp_path):
    folder = write_pair(tmp_path / "kb")
    fixed = folder / "reproducers/zz1_made/fixed.py"
    fixed.write_text(fixed.read_text().replace("    healthy = seen == 8\n", ""))
    done = mutate("ZZ1", "--kb", folder, "--trust")
    assert done.returncode == 2 and "dpkb check" in done.stderr and "Traceback" not in done.stderr


def test_an_unknown_kind_is_a_usage_error(mutate):
    done = mutate("--kind", "worse")
    assert done.returncode == 2 and "FIX removed" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.slow
def test_ctrl_c_ends_the_tool_at_once(tmp_path):
    """Also before the first mutant runs: with recorded runs, all mutants are written and checked first."""
    folder = write_pair(tmp_path / "kb")
    running = subprocess.Popen(
        [*COMMAND, "ZZ1", "--kb", str(folder), "--trust"],
        cwd=ROOT,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert any(line.startswith("dpkb: 2 scripts") for line in running.stderr)
    running.send_signal(signal.SIGINT)
    _, errors = running.communicate(timeout=60)
    assert running.returncode == 130 and "Traceback" not in errors, errors
