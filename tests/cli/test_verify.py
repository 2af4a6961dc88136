"""dpkb verify over small catalogues: shapes, exit codes, shards, a swapped pair."""

import json
import os
import shutil
import signal
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from support import SKIPPING, write_catalogue
from support.results import ENVIRONMENT_KEYS, RESULT_KEYS
from support.waiting import wait_until

from dpkb import files
from dpkb.cli.verify import parse_shard
from dpkb.errors import UsageError
from dpkb.evidence.store import load


def verify(dpkb, *arguments):
    # Cold, because a fork server would import torch, which these scripts do not need.
    done = dpkb("verify", "--json", "--trust", "--cold", *arguments)
    return done, json.loads(done.stdout)


def test_json_and_junit_have_every_result(dpkb_in_process, catalogue, tmp_path):
    junit = tmp_path / "junit.xml"
    done, report = verify(dpkb_in_process, "ZZ1", "--kb", catalogue(), "--junit", junit)
    assert done.returncode == 0, done.stderr
    assert set(report) == {"version", "environment", "results", "summary", "seconds"}
    assert set(report["environment"]) == ENVIRONMENT_KEYS
    assert [set(result) for result in report["results"]] == [RESULT_KEYS, RESULT_KEYS]
    assert report["summary"] == {"confirmed": 2, "refuted": 0, "inconclusive": 0, "skipped": 0}
    suite = ET.parse(junit).getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("2", "0")
    assert {case.get("name") for case in suite} == {"broken", "fixed"}


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


def test_a_skipped_script_is_not_counted_as_confirmed(dpkb_in_process, catalogue):
    done, report = verify(dpkb_in_process, "ZZ1", "--kb", catalogue(broken=SKIPPING))
    assert (done.returncode, report["summary"]["skipped"]) == (0, 1)  # the fix was confirmed
    text = dpkb_in_process("verify", "--cold", "ZZ1", "--trust", "--kb", catalogue("other", broken=SKIPPING))
    assert "0 of 1 pairs reproduced" in text.stdout
    assert "1 not tested here" in text.stdout and "ZZ1 broken: a moon" in text.stdout


def test_verify_returns_1_if_nothing_is_confirmed(dpkb_in_process, catalogue):
    folder = catalogue(broken=SKIPPING)
    path = folder / "reproducers" / "zz1_made"
    shutil.copy(path / "broken.py", path / "fixed.py")
    assert verify(dpkb_in_process, "ZZ1", "--kb", folder)[0].returncode == 1


def test_a_refuted_claim_is_printed_with_what_was_expected_and_seen(dpkb_in_process, catalogue):
    folder = catalogue(broken="raise ValueError('another')", shows="raises", pattern="KeyError: .x.")
    done = dpkb_in_process("verify", "--cold", "ZZ1", "--trust", "--kb", folder)
    assert done.returncode == 1
    assert "expected  an error that says KeyError: …x…" in done.stdout
    assert "ValueError: another" in done.stdout
    assert "1 refuted" in done.stdout


def test_the_scripts_of_a_withdrawn_entry_are_not_run_and_the_reason_is_printed(dpkb_in_process, catalogue):
    page = catalogue() / "kb" / "zz1_made.md"
    page.write_text(page.read_text().replace("kind: silent\n", "kind: silent\nwithdrawn: it was wrong\n"))
    done, report = verify(dpkb_in_process, "ZZ1", "--kb", page.parents[1])
    assert done.returncode == 1 and report["results"] == []
    assert "dpkb: ZZ1 is withdrawn, so none of its scripts is run: it was wrong\n" in done.stderr


def test_shards_run_each_script_once(dpkb_in_process, tmp_path):
    folder = tmp_path / "catalogue"
    for i in range(1, 5):
        write_catalogue(folder, entry_id=f"ZZ{i}", seconds=i)
    names = [f"ZZ{i}" for i in range(1, 5)]
    rows = []
    for shard in ("1/3", "2/3", "3/3"):
        rows += verify(dpkb_in_process, *names, "--kb", folder, "--shard", shard)[1]["results"]
    found = sorted((row["id"], row["script"]) for row in rows)
    assert found == sorted((name, script) for name in names for script in ("broken", "fixed"))


def test_nothing_to_run_is_a_success_with_its_reason_and_a_report(dpkb_in_process, catalogue, tmp_path):
    command = ["verify", "ZZ1", "--cold", "--trust", "--kb", catalogue()]
    assert dpkb_in_process(*command, "--record").returncode == 0
    for option, reason in (["--stale"], "no script is stale"), (["--shard", "9/9"], "9/9 has no script"):
        junit = tmp_path / f"junit{option[0]}.xml"
        done = dpkb_in_process(*command, *option, "--junit", junit)
        assert (done.returncode, done.stdout) == (0, "") and reason in done.stderr
        assert ET.parse(junit).getroot().get("tests") == "0"
    full = dpkb_in_process(*command, "--shard", "9/9", "--junit", "/dev/full")
    assert full.returncode == 74 and "--junit /dev/full: cannot be written" in full.stderr


def test_runs_of_a_script_that_disagree_are_reported_and_the_bad_one_is_kept(catalogue, tmp_path):
    breaks = tmp_path / "breaks"
    broken = f"""
    import os, sys
    healthy = not os.path.exists({str(breaks)!r})
    print('OBSERVED {{"healthy": ' + str(healthy).lower() + '}}')
    sys.exit(0 if healthy else 1)
    """
    command = [
        sys.executable,
        "-m",
        "dpkb",
        "verify",
        "ZZ1",
        "--cold",
        "--trust",
        "--repeat",
        "8",
        "-j",
        "1",
        "--record",
        "--kb",
        str(catalogue(broken=broken)),
    ]
    with subprocess.Popen(
        command, cwd=tmp_path, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        # A script cannot change files outside its folder, so the test does, after the first run.
        next(line for line in process.stderr if "ZZ1 broken: refuted" in line)
        breaks.touch()
        stdout, _ = process.communicate(timeout=300)
    assert process.returncode == 1
    assert "ZZ1 broken: 8 runs gave different verdicts: confirmed, refuted" in stdout
    (path,) = Path(command[-1], "evidence").iterdir()
    assert json.loads(path.read_text())["scripts"]["ZZ1/broken"]["verdict"] == "refuted"


def test_with_kb_only_the_entries_of_that_catalogue_run(dpkb_in_process, catalogue):
    done, report = verify(dpkb_in_process, "--kb", catalogue(), "--record")
    assert done.returncode == 0 and {row["id"] for row in report["results"]} == {"ZZ1"}


def test_evidence_that_cannot_be_read_is_noticed_before_the_run(dpkb_in_process, catalogue):
    folder = catalogue()
    command = ["verify", "ZZ1", "--cold", "--trust", "--record", "--kb", folder]
    assert dpkb_in_process(*command).returncode == 0
    (path,) = (folder / "evidence").iterdir()
    path.write_text("{")
    done = dpkb_in_process(*command)
    assert (done.returncode, done.stdout, path.read_text()) == (2, "", "{")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"dpkb: {path}: not a readable evidence file (")


def test_evidence_that_another_process_writes_is_noticed_before_the_run(
    dpkb_in_process, catalogue, monkeypatch
):
    monkeypatch.setattr(files, "LOCK_SECONDS", 0.2)
    folder = catalogue()
    with files.exclusive_lock(folder / "evidence"):
        done = dpkb_in_process("verify", "ZZ1", "--cold", "--trust", "--record", "--kb", folder)
    assert (done.returncode, done.stdout) == (74, "")
    (line,) = done.stderr.splitlines()
    assert "another dpkb is writing there" in line


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize(
    ("number", "more"), [(signal.SIGTERM, []), (signal.SIGINT, []), (signal.SIGHUP, ["--json"])]
)
def test_a_run_that_is_stopped_keeps_the_complete_results(tmp_path, number, more):
    folder = write_catalogue(tmp_path / "catalogue", seconds=9)
    write_catalogue(folder, "ZZ2", broken="import time\ntime.sleep(600)", seconds=5)
    command = [
        sys.executable,
        "-m",
        "dpkb",
        "verify",
        "ZZ1",
        "ZZ2",
        "--record",
        "--cold",
        "--trust",
        "-j",
        "1",
        "--kb",
        str(folder),
        *more,
    ]
    # Under nohup the tests ignore SIGHUP, and so would the command.
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),
    ) as process:
        next(line for line in process.stderr if line.startswith("[2/4]"))
        process.send_signal(number)
        stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stdout) == (130, "")
    (path,) = (folder / "evidence").iterdir()
    assert stderr.splitlines()[-3:] == [
        f"dpkb: recorded in {path}",
        "dpkb: the run was stopped; 2 of 4 results are kept",
        "dpkb: stopped; nothing is left running",
    ]
    assert set(json.loads(path.read_text())["scripts"]) == {"ZZ1/broken", "ZZ1/fixed"}


def test_a_run_that_is_killed_keeps_the_complete_results(tmp_path):
    folder = write_catalogue(tmp_path / "catalogue", seconds=9)
    write_catalogue(folder, "ZZ2", broken="import time\ntime.sleep(600)", seconds=5)
    command = [sys.executable, "-m", "dpkb", "verify", "--record", "--cold", "--trust", "-j", "1", "--kb"]
    with subprocess.Popen([*command, folder], stderr=subprocess.PIPE, text=True) as process:
        next(line for line in process.stderr if line.startswith("[2/4]"))
        wait_until(
            lambda: {"ZZ1/broken", "ZZ1/fixed"} == {key for one in load(folder) for key in one.scripts}
        )
        process.kill()


@pytest.fixture(scope="session")
def bare_python(tmp_path_factory):
    """An interpreter without torch and without dpkb."""
    folder = tmp_path_factory.mktemp("bare")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    return folder / "bin" / "python"


def test_without_torch_the_message_says_what_to_install(dpkb_in_process, bare_python):
    # The Python of the tests has torch.
    env = {"VIRTUAL_ENV": sys.prefix}
    for command in (["repro", "DP1"], ["verify", "DP1"]):
        done = dpkb_in_process(*command, "--python", bare_python, env=env)
        assert done.returncode == 2
        assert done.stderr == (
            f"dpkb: torch is not installed for {bare_python}. Install it ({bare_python} -m pip install torch "
            f"torchvision), or use a Python that has it: --python {sys.prefix}/bin/python\n"
        )


@pytest.mark.parametrize(
    ("text", "shard"), [(None, (1, 1)), ("1/1", (1, 1)), ("2/4", (2, 4)), ("4/4", (4, 4))]
)
def test_a_shard_is_written_as_its_number_and_their_count(text, shard):
    assert parse_shard(text) == shard


@pytest.mark.parametrize(
    "text", ["", "1", "0/4", "5/4", "-1/4", "1/", "/4", "1/4/4", "one/two", "1.0/4", "²/4", "1/" + "9" * 5000]
)
def test_any_other_shard_is_refused(text):
    with pytest.raises(UsageError, match="must be I/N, such as 1/4 for the first of four"):
        parse_shard(text)
