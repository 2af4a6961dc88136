"""Scripts that run as forks under the audit: each ends as it would in a separate process."""

import sys
from pathlib import Path

import pytest
from support.waiting import find_processes

from tools.audit_catalogue import run_forks

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="forks")]
# The argument of `sleep` in a child of the hanging script, by which the test finds the child.
LEFT_RUNNING = "612.75"
ENDS = {
    "returns": ("print('done')", 0),
    "exits": ("import sys\nsys.exit(7)", 7),
    "exits with nothing": ("raise SystemExit", 0),
    "exits with text": ("raise SystemExit('no')", 1),
    "raises": ("raise ValueError('no such number')", 1),
    "is killed": ("import os, signal\nos.kill(os.getpid(), signal.SIGTERM)", -15),
    "hangs": (f"import subprocess, time\nsubprocess.Popen(['sleep', '{LEFT_RUNNING}'])\ntime.sleep(600)", -9),
    "counts its files": ("import resource, sys\nsys.exit(resource.getrlimit(resource.RLIMIT_NOFILE)[0])", 99),
    "is the main module": (
        "import sys\nassert __name__ == '__main__' and len(sys.argv) == 1\nimport torch, dpkb_audit",
        0,
    ),
}


def test_each_script_ends_as_it_would_by_itself(tmp_path):
    jobs = []
    for number, (name, (text, _)) in enumerate(ENDS.items()):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "script.py").write_text(text)
        jobs.append(
            {
                "script": str(folder / "script.py"),
                "folder": str(folder),
                "open_files": 99 if name == "counts its files" else None,
            }
        )
    plan = {"at_once": 3, "seconds": 10, "jobs": jobs}
    codes = dict(run_forks(sys.executable, plan, tmp_path / "plan.json"))
    names = dict(zip([job["folder"] for job in jobs], ENDS, strict=True))
    assert {names[folder]: code for folder, code in codes.items()} == {
        name: code for name, (_, code) in ENDS.items()
    }
    outputs = {name: Path(folder, "output").read_text() for folder, name in names.items()}
    assert outputs["returns"] == "done\n"
    assert outputs["raises"].endswith("ValueError: no such number\n")
    assert not find_processes(LEFT_RUNNING)
