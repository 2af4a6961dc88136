"""`dpkb lint --fix` on programs that work: they print the same afterwards, and end with the same exit code.

Each file and each folder of fix_programs is such a program; `main.py` of a folder is run. It begins with the id of
the rule that reports something in it. Its name ends in `_rewritten` if a safe correction rewrites it. Most others
were written to notice a correction, and do notice the unsafe ones.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support import ROOT
from support.in_process import run_in_process

from dpkb.lint.fix import is_fixable
from dpkb.lint.project import Project
from dpkb.lint.run import Selection, lint_file

PROGRAMS = sorted(
    path
    for path in (Path(__file__).parent / "fix_programs").iterdir()
    if path.suffix == ".py" or (path / "main.py").is_file()
)

# Runs each program in a fork of one process that has imported torch, and prints its exit code and its output.
RUN = """
import json, os, runpy, sys, tempfile
import torch, torch.fx, torch.utils.data

torch.set_num_threads(1)
torch.optim.SGD([torch.zeros(1)], 0.1)  # the first optimizer imports much, once for all programs
for program in json.load(sys.stdin):
    with tempfile.TemporaryFile() as output:
        child = os.fork()
        if child == 0:
            os.dup2(output.fileno(), 1)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            os.chdir(os.path.dirname(program))
            sys.path.insert(0, os.getcwd())
            code = 1
            try:
                runpy.run_path(program, run_name="__main__")
                code = 0
            finally:
                sys.stdout.flush()
                os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        output.seek(0)
        print(json.dumps([code, output.read().decode()]), flush=True)
"""


def run(programs):
    """Exit code and output of each program."""
    done = subprocess.run(
        [sys.executable, "-c", RUN],
        input=json.dumps([str(path if path.is_file() else path / "main.py") for path in programs]),
        stdout=subprocess.PIPE,
        text=True,
        timeout=600,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def content(program):
    return [path.read_bytes() for path in sorted([program, *program.rglob("*")]) if path.is_file()]


@pytest.mark.slow
def test_programs_that_work_print_the_same_after_the_safe_corrections(tmp_path):
    kinds = {"before": [], "safe": ["--fix"], "all": ["--fix", "--unsafe-fixes"]}
    for kind, options in kinds.items():
        copy = shutil.copytree(
            PROGRAMS[0].parent, tmp_path / kind, ignore=shutil.ignore_patterns("__pycache__")
        )
        for path in copy.rglob("*.py"):
            # With two kinds of line ends and with form feeds.
            text = path.read_bytes().replace(b"\n\n\n", b"\n\f\n\n").replace(b"\n", b"\r\n", 3)
            path.write_bytes(text)
        if options:
            assert run_in_process("lint", "--hints", *options, copy, cwd=tmp_path).returncode in (0, 1)
    names = [path.name for path in PROGRAMS]
    contents = {(kind, name): content(tmp_path / kind / name) for kind in kinds for name in names}
    distinct = [key for key in contents if key[0] == "before" or contents[key] != contents["before", key[1]]]
    seen = dict(zip(distinct, run([tmp_path / kind / name for kind, name in distinct]), strict=True))
    failed = {
        name: (before, after)
        for name in names
        if (before := seen["before", name]) != (after := seen.get(("safe", name), before))
        or before[0] != 0
        or not before[1]
    }
    assert not failed
    assert [name for name in names if ("safe", name) in seen] == [
        name for name in names if name.endswith("_rewritten.py")
    ]
    # They do notice the other corrections: otherwise this would prove little.
    assert sum(seen.get(("all", name)) not in (None, seen["before", name]) for name in names) >= 90


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_the_rule_of_a_program_reports_something_in_it(path):
    files = [path] if path.is_file() else sorted(path.rglob("*.py"))
    project = Project(files)
    parsed = [file for file in map(project.parse, files) if file is not None]
    found = [finding for file in parsed for finding in lint_file(file, Selection(hints=True))[0]]
    assert path.name.partition("_")[0].upper() in {finding.id for finding in found}


def test_a_third_of_the_corrections_that_were_once_called_safe_are_safe():
    """There were 27 in the scripts of the catalogue and in the examples when all others became unsafe."""
    folders = (ROOT / "reproducers", Path(__file__).parent / "examples")
    safe = [
        finding
        for folder in folders
        for path in sorted(folder.rglob("*.py"))
        if (file := Project([path]).parse(path)) is not None
        for finding in lint_file(file, Selection(hints=True))[0]
        if is_fixable(finding, unsafe=False)
    ]
    assert len(safe) >= 10 and {finding.id for finding in safe} == {"A1", "DP14", "E1"}
