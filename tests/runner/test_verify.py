"""dpkb verify and repro over small made catalogues: shapes, exit codes, shards, a swapped pair."""

import json
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest
from support import write_catalogue

from dpkb.model import Needs
from dpkb.runner.verify import missing_place
from dpkb.runs import Environment

RESULT = {"id", "script", "claim", "outcome", "verdict", "affected", "expected", "seen", "observed",
          "seconds", "stderr"}
ENVIRONMENT = {"executable", "python", "torch", "torchvision", "os", "device"}
SKIP = """
import sys
try:
    import moon
except ImportError:
    print('SKIPPED a moon')
    sys.exit(77)
"""


def verify(dpkb, *arguments):
    # Cold: these scripts do without torch, and a template would import it.
    done = dpkb("verify", "--json", "--trust", "--cold", *arguments)
    return done, json.loads(done.stdout)


def test_verify_json_and_junit(dpkb_in_process, catalogue, tmp_path):
    junit = tmp_path / "junit.xml"
    done, report = verify(dpkb_in_process, "ZZ1", "--kb", catalogue(), "--junit", junit)
    assert done.returncode == 0, done.stderr
    assert set(report) == {"version", "environment", "results", "summary", "seconds"}
    assert set(report["environment"]) == ENVIRONMENT
    assert [set(result) for result in report["results"]] == [RESULT, RESULT]
    assert report["summary"] == {"confirmed": 2, "refuted": 0, "inconclusive": 0, "skipped": 0}
    suite = ET.parse(junit).getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("2", "0")
    assert {case.get("name") for case in suite} == {"broken", "fixed"}


def test_repro_json(dpkb_in_process, catalogue):
    report = json.loads(dpkb_in_process("repro", "ZZ1", "--kb", catalogue(), "--trust", "--json").stdout)
    assert set(report) == {"version", "environment"} | RESULT
    assert set(report["environment"]) == ENVIRONMENT


def test_a_swapped_pair_is_caught_by_both_check_and_verify(dpkb_in_process, catalogue):
    folder = catalogue()
    scripts = folder / "reproducers" / "zz1_made"
    for a, b in (("broken.py", "kept"), ("fixed.py", "broken.py"), ("kept", "fixed.py")):
        shutil.move(scripts / a, scripts / b)
    done, report = verify(dpkb_in_process, "ZZ1", "--kb", folder)
    assert done.returncode == 1
    assert report["summary"]["refuted"] == 2
    checked = dpkb_in_process("check", "--kb", folder)
    assert checked.returncode == 1
    assert "no `# BUG:`" in checked.stdout and "no `# FIX:`" in checked.stdout


def test_skipped_is_never_success(dpkb_in_process, catalogue):
    done, report = verify(dpkb_in_process, "ZZ1", "--kb", catalogue(broken=SKIP))
    assert (done.returncode, report["summary"]["skipped"]) == (0, 1)  # the fix was confirmed
    text = dpkb_in_process("verify", "--cold", "ZZ1", "--trust", "--kb", catalogue("other", broken=SKIP))
    assert "0 of 1 pairs reproduced" in text.stdout
    assert "1 not tested here" in text.stdout and "ZZ1 broken: a moon" in text.stdout
    assert dpkb_in_process("repro", "ZZ1", "--trust", "--kb", catalogue("third", broken=SKIP)).returncode == 1


def test_nothing_confirmed_is_a_no(dpkb_in_process, catalogue):
    folder = catalogue(broken=SKIP)
    path = folder / "reproducers" / "zz1_made"
    shutil.copy(path / "broken.py", path / "fixed.py")
    assert verify(dpkb_in_process, "ZZ1", "--kb", folder)[0].returncode == 1


def test_a_refuted_claim_tells_what_was_expected_and_seen(dpkb_in_process, catalogue):
    folder = catalogue(broken="raise ValueError('another')", shows="raises", pattern="KeyError: .x.")
    done = dpkb_in_process("verify", "--cold", "ZZ1", "--trust", "--kb", folder)
    assert done.returncode == 1
    assert "expected  an error that says KeyError: .x." in done.stdout
    assert "ValueError: another" in done.stdout
    assert "1 refuted" in done.stdout


def test_shards_cover_everything_once(dpkb_in_process, tmp_path):
    folder = tmp_path / "made"
    for i in range(1, 5):
        write_catalogue(folder, entry_id=f"ZZ{i}", seconds=i)
    names = [f"ZZ{i}" for i in range(1, 5)]
    rows = []
    for shard in ("1/3", "2/3", "3/3"):
        rows += verify(dpkb_in_process, *names, "--kb", folder, "--shard", shard)[1]["results"]
    found = sorted((row["id"], row["script"]) for row in rows)
    assert found == sorted((name, script) for name in names for script in ("broken", "fixed"))


def test_repeat_shows_disagreement(catalogue, tmp_path):
    repaired = tmp_path / "repaired"
    broken = f"""
    import os, sys
    healthy = os.path.exists({str(repaired)!r})
    print('OBSERVED {{"healthy": ' + str(healthy).lower() + '}}')
    sys.exit(0 if healthy else 1)
    """
    command = [sys.executable, "-m", "dpkb", "verify", "ZZ1", "--cold", "--trust", "--repeat", "8", "-j", "1",
               "--kb", str(catalogue(broken=broken))]
    with subprocess.Popen(command, cwd=tmp_path, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:
        # A script can change nothing outside, so the world changes around it after its first run.
        next(line for line in process.stderr if "ZZ1 broken: confirmed" in line)
        repaired.touch()
        stdout, _ = process.communicate(timeout=300)
    assert process.returncode == 1
    assert "ZZ1 broken: 8 runs gave different verdicts: confirmed, refuted" in stdout


def test_the_nearest_team_folder_is_added(dpkb_in_process, tmp_path):
    project = tmp_path / "project"
    write_catalogue(project / ".dpkb", entry_id="TM1")
    below = project / "src" / "deep"
    below.mkdir(parents=True)
    assert "TM1" in dpkb_in_process("list", cwd=below).stdout
    assert dpkb_in_process("repro", "TM1", "--trust", cwd=below).returncode == 0
    assert "TM1" not in dpkb_in_process("list", cwd=tmp_path).stdout


@pytest.fixture(scope="session")
def bare_python(tmp_path_factory):
    """An interpreter without torch and without dpkb."""
    folder = tmp_path_factory.mktemp("bare")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    return folder / "bin" / "python"


def test_without_torch_it_says_what_to_install(dpkb_in_process, bare_python):
    for command in (["repro", "DP1"], ["verify", "DP1"]):
        done = dpkb_in_process(*command, "--python", bare_python)
        assert done.returncode == 2
        assert f"{bare_python} -m pip install torch torchvision" in done.stderr
        assert "--python" in done.stderr and "Traceback" not in done.stderr


def test_cuda_asked_for_where_there_is_none(dpkb_in_process):
    done = dpkb_in_process("repro", "DP1", "--device", "cuda", env={"CUDA_VISIBLE_DEVICES": ""})
    assert done.returncode == 2
    assert "sees no GPU" in done.stderr


@pytest.mark.parametrize(("places", "environment", "missing"), [
    ({"devices": ("cuda",)}, {"device": "cpu"}, "no GPU"),
    ({"devices": ("cuda",)}, {"device": "cuda (X)"}, None),
    ({"devices": ("cpu", "cuda")}, {"device": "cpu"}, None),
    ({"linux": True}, {"os": "darwin"}, "needs Linux"),
    ({"linux": True}, {"os": "linux"}, None), ({}, {"os": "windows"}, None),
])
def test_a_place_that_is_not_here_is_named(places, environment, missing):
    here = Environment("python", "3.11.7", "2.15.0", None, **{"os": "linux", "device": "cpu", **environment})
    answer = missing_place(Needs(**places), here)
    assert answer is None if missing is None else missing in answer


def test_a_silent_failure_is_shown_as_a_grid(dpkb_in_process, catalogue):
    broken = """
    import json, sys
    print("OBSERVED", json.dumps({"healthy": False, "crop_by_worker_and_epoch": [[7, 7], [7, 9]],
                                  "steps_by_rank": [5, 7], "note": "\\x1b[31mred"}))
    sys.exit(1)
    """
    done = dpkb_in_process("repro", "ZZ1", "--trust", "--kb", catalogue(broken=broken))
    assert "worker 1" in done.stdout and "epoch 1" in done.stdout and "rank 0" in done.stdout
    assert done.stdout.count("7 [a]") == 3
    assert "9 [" not in done.stdout and "\x1b" not in done.stdout
