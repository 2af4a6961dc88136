"""Runs programs under the audit, two at a time, each as a fork of one process that has imported torch.

    python -m tests.support.audit_programs PROGRAM…

Prints a line of JSON for each program: {"program", "code", "ids", "failures", "messages", "output"}.

tests/audit/test_command.py tests how `dpkb audit` begins in the processes that it starts.
"""

import json
import shutil
import sys
import tempfile
from pathlib import Path

from dpkb.audit.collect import collect
from tools.audit_catalogue import run_forks

SECONDS = 120
JOBS = 2


def read_report(path, folder, code):
    """The report on one program that has ended."""
    output = Path(folder, "output")
    result = collect(Path(folder))
    return {
        "program": path,
        "code": code,
        "ids": sorted({finding.id for finding in result.findings}),
        "failures": [why for _, why in result.failed_checks],
        "messages": [f"{f.id} {f.certainty} {f.file}:{f.line} {f.message}" for f in result.findings],
        "output": output.read_text("utf-8", "replace")[-3000:] if output.exists() else "",
    }


def audit_programs(paths):
    """Run the programs, and yield the report on each when it has ended."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as parent:
        programs = {tempfile.mkdtemp(dir=parent): path for path in paths}
        plan = {
            "at_once": JOBS,
            "seconds": SECONDS,
            "jobs": [
                {"script": str(Path(path).resolve()), "folder": folder, "open_files": None}
                for folder, path in programs.items()
            ],
        }
        # One thread for each program, because two programs run at a time.
        for folder, code in run_forks(sys.executable, plan, Path(parent, "plan.json"), OMP_NUM_THREADS="1"):
            yield read_report(programs[folder], folder, code)
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    for row in audit_programs(sys.argv[1:]):
        print(json.dumps(row), flush=True)
