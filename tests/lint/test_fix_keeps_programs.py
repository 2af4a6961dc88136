"""`dpkb lint --fix` on programs that work: they print the same afterwards, and end with the same exit code.

Each file and each folder of fix_programs is such a program; `main.py` of a folder is run. It begins with the id of
the rule that reports something in it. Its name ends in `_rewritten` if a safe correction rewrites it. Most others
were written to notice a correction, and do notice the unsafe ones.
"""

import shutil
from pathlib import Path

import pytest
from support import ROOT
from support.in_process import run_in_process
from support.lint_file import lint_file
from support.torch_programs import run_programs

from dpkb.lint.fix import is_fixable
from dpkb.lint.project import Project
from dpkb.lint.run import Selection, lint

PROGRAMS = sorted(
    path
    for path in (Path(__file__).parent / "fix_programs").iterdir()
    if path.suffix == ".py" or (path / "main.py").is_file()
)


def copy_programs(target):
    """Copy each program to a folder of its own, with two kinds of line ends and with form feeds."""
    for program in PROGRAMS:
        folder = target / program.stem
        if program.is_dir():
            shutil.copytree(program, folder, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            folder.mkdir(parents=True)
            shutil.copy(program, folder)
    for path in target.rglob("*.py"):
        text = path.read_bytes().replace(b"\n\n\n", b"\n\f\n\n").replace(b"\n", b"\r\n", 3)
        path.write_bytes(text)


@pytest.mark.slow
def test_programs_that_work_print_the_same_after_the_safe_corrections(tmp_path):
    kinds = {"before": [], "safe": ["--fix"], "all": ["--fix", "--unsafe-fixes"]}
    for kind, options in kinds.items():
        copy_programs(tmp_path / kind)
        if options:
            done = run_in_process("lint", "--hints", *options, tmp_path / kind, cwd=tmp_path)
            assert done.returncode in (0, 1)
    names = [path.stem for path in PROGRAMS]
    texts = {
        (kind, name): [path.read_bytes() for path in sorted((tmp_path / kind / name).rglob("*.py"))]
        for kind in kinds
        for name in names
    }
    distinct = [key for key in texts if key[0] == "before" or texts[key] != texts["before", key[1]]]
    programs = [tmp_path / kind / name / f"{name}.py" for kind, name in distinct]
    results = run_programs(path if path.is_file() else path.with_name("main.py") for path in programs)
    seen = dict(zip(distinct, results, strict=True))
    failed = {
        name: (before, after)
        for name in names
        if (before := seen["before", name]) != (after := seen.get(("safe", name), before))
        or before[0] != 0
        or not before[1]
    }
    assert not failed
    assert [name for name in names if ("safe", name) in seen] == [
        name for name in names if name.endswith("_rewritten")
    ]
    # They do notice the other corrections: otherwise this would prove little.
    assert sum(seen.get(("all", name)) not in (None, seen["before", name]) for name in names) >= 120


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_the_rule_of_a_program_reports_something_in_it(path):
    files = [path] if path.is_file() else sorted(path.rglob("*.py"))
    project = Project(files)
    parsed = [file for file in map(project.parse, files) if file is not None]
    found = [finding for file in parsed for finding in lint_file(file, Selection(hints=True))[0]]
    assert path.name.partition("_")[0].upper() in {finding.id for finding in found}


def test_a_third_of_the_corrections_that_were_once_called_safe_are_safe():
    """There were 27 in the scripts of the catalogue and in these tests when all others became unsafe."""
    folders = (ROOT / "reproducers", Path(__file__).parent)
    found = lint(dict.fromkeys(folders, Selection(hints=True))).findings
    written_for_this = str(Path(__file__).parent / "fix_programs")
    safe = [
        finding
        for finding in found
        if is_fixable(finding, unsafe=False) and not finding.file.startswith(written_for_this)
    ]
    assert len(safe) >= 10 and {finding.id for finding in safe} == {"A1", "DP14", "E1"}
