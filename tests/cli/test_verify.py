"""dpkb verify over small catalogues: shapes, exit codes, a swapped pair."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support import SKIPPING, write_catalogue
from support.results import ENVIRONMENT_KEYS, RESULT_KEYS
from support.waiting import wait_until
from support.wheels import make_wheel

from dpkb import files
from dpkb.evidence.store import load


def verify(dpkb, *arguments):
    # Cold, because a fork server would import torch, which these scripts do not need.
    done = dpkb("verify", "--json", "--trust", "--cold", *arguments)
    return done, json.loads(done.stdout)


def test_the_json_has_every_result(dpkb_in_process, catalogue):
    done, report = verify(dpkb_in_process, "ZZ1", "--kb", catalogue())
    assert done.returncode == 0, done.stderr
    assert set(report) == {"version", "environment", "results", "summary", "seconds"}
    assert set(report["environment"]) == ENVIRONMENT_KEYS
    assert [set(result) for result in report["results"]] == [RESULT_KEYS, RESULT_KEYS]
    assert report["summary"] == {"confirmed": 2, "refuted": 0, "inconclusive": 0, "skipped": 0}


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


def test_nothing_to_run_is_a_success_with_its_reason(dpkb_in_process, catalogue):
    command = ["verify", "ZZ1", "--cold", "--trust", "--kb", catalogue()]
    assert dpkb_in_process(*command, "--record").returncode == 0
    done = dpkb_in_process(*command, "--stale")
    assert (done.returncode, done.stdout) == (0, "") and "no script is stale" in done.stderr


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


@pytest.fixture
def installing(tmp_path):
    """The variables with which `uv` makes an environment with this Python's torch, and with a real wheel."""
    for version in ("1.0", "2.0"):
        make_wheel(tmp_path, version, {"__init__.py": f"VERSION = {version}\n"}, "tiny")
    uv = tmp_path / "bin" / "uv"
    uv.parent.mkdir()
    # Torch is several GB, so the environment borrows the one of the tests; tiny is unpacked as uv does it.
    uv.write_text(
        f"""#!{sys.executable}
import pathlib, re, sys, zipfile
if sys.argv[1] == "venv":
    import venv
    venv.create(sys.argv[-1])
elif sys.argv[1] == "pip":
    site, = pathlib.Path(sys.argv[sys.argv.index("--python") + 1]).parents[1].glob("lib/python*/site-packages")
    (site / "torch.pth").write_text({str(Path(pytest.__file__).parents[1])!r})
    for name in sys.argv:
        if name.startswith("tiny"):
            wheel = pathlib.Path({str(tmp_path)!r}, f"tiny-{{name[6:] or '2.0'}}-py3-none-any.whl")
            if not wheel.exists():
                sys.exit("there is no version of " + name)
            zipfile.ZipFile(wheel).extractall(site)
else:
    sys.exit(1)
"""
    )
    uv.chmod(0o755)
    return {
        "PATH": f"{uv.parent}{os.pathsep}{os.environ['PATH']}",
        "DPKB_CACHE_DIR": str(tmp_path / "cache"),
    }


def make_versioned_catalogue(make):
    """A catalogue whose script fails only with tiny 1."""
    folder = make()
    page = folder / "kb" / "zz1_made.md"
    page.write_text(page.read_text().replace("wrong-result\n", 'wrong-result\n    tiny: "<2"\n'))
    script = folder / "reproducers" / "zz1_made" / "broken.py"
    text = script.read_text().replace("torch; cpu", "torch, tiny; cpu")
    body = "import tiny\n\nvalue = tiny.VERSION"
    text = text.replace("value = 1", body).replace("return not sys.path", "return value >= 2")
    script.write_text(text)
    return folder


@pytest.mark.skipif(os.name != "posix", reason="uv is a script here")
def test_with_runs_on_the_chosen_version_and_keeps_it_as_evidence(dpkb_in_process, catalogue, installing):
    folder = make_versioned_catalogue(catalogue)
    for version, affected in (("1.0", True), ("2.0", False)):
        pin = f"tiny=={version}"
        done = dpkb_in_process(
            *("verify", "ZZ1", "--json", "--trust", "--cold", "--kb", folder, "--with", pin, "--record"),
            env=installing,
        )
        assert done.returncode == 0, done.stderr
        report = json.loads(done.stdout)
        assert report["environment"]["packages"] == {"tiny": version}
        broken, fixed = sorted(report["results"], key=lambda row: row["script"])
        assert (broken["affected"], broken["packages"], fixed["packages"]) == (
            affected,
            {"tiny": version},
            {},
        )
    recorded = {one.environment["packages"]["tiny"]: one for one in load(folder)}
    assert set(recorded) == {"1.0", "2.0"} and all(
        one.name.endswith(f"-tiny-{v}") for v, one in recorded.items()
    )
    assert recorded["1.0"].scripts["ZZ1/broken"].packages == {"tiny": "1.0"}
    shown = dpkb_in_process("show", "ZZ1", "--kb", folder).stdout
    assert "with tiny 1.0" in shown and "with tiny 2.0" in shown
    assert "tiny" in dpkb_in_process("matrix", "--all", "--kb", folder).stdout
    installed = "".join(path.name for path in Path(installing["DPKB_CACHE_DIR"], "environments").iterdir())
    assert "+tiny==1.0" in installed and "+tiny==2.0" in installed


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--with", "tiny"], "must be NAME==VERSION"),
        (["--with", "tiny==1.*"], "must be NAME==VERSION"),
        (["--with", "torch==2.4.1"], "the torch is chosen with --torch 2.4.1"),
        (["--with", "other==1.0"], "none of these scripts needs other"),
        (["--with", "tiny==1.0", "--with", "tiny==2.0"], "none of these scripts needs tiny (again)"),
        (["--with", "tiny==3.0"], "with tiny==3.0 could not be installed: there is no version of tiny==3.0"),
        (["--with", "tiny==1.0", "--python", "python3"], "use one of them"),
    ],
)
def test_a_wrong_pin_is_refused_in_one_line(dpkb_in_process, catalogue, installing, options, message):
    folder = make_versioned_catalogue(catalogue)
    done = dpkb_in_process("verify", "ZZ1", "--trust", "--kb", folder, *options, env=installing)
    lines = [line for line in done.stderr.splitlines() if "installing an environment" not in line]
    assert done.returncode == 2 and len(lines) == 1 and message in lines[0], done.stderr


def test_with_needs_uv(dpkb_in_process, catalogue, tmp_path):
    folder = make_versioned_catalogue(catalogue)
    bare = {"PATH": str(tmp_path), "DPKB_CACHE_DIR": str(tmp_path)}
    done = dpkb_in_process("verify", "ZZ1", "--trust", "--kb", folder, "--with", "tiny==1.0", env=bare)
    assert done.returncode == 2 and "--with needs uv" in done.stderr and "pip install uv" in done.stderr
