"""The package as a whole: style and types, contracts of imports, names of files, what a command loads."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from support import ROOT


def test_the_contracts_of_pyproject_hold():
    lint = "from importlinter.cli import lint_imports_command as lint; raise SystemExit(lint())"
    done = subprocess.run(
        [sys.executable, "-c", lint, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    "tool",
    [
        ["ruff", "check", "dpkb", "tools", "tests", "bench"],
        ["ruff", "format", "--check", "dpkb", "tools", "tests", "bench"],
        pytest.param(["mypy"], marks=pytest.mark.slow),
    ],
    ids=lambda tool: " ".join(tool[:2]),
)
def test_the_linter_and_the_type_checker_report_nothing(tool):
    done = subprocess.run(
        [sys.executable, "-m", *tool], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_make_test_runs_every_file_that_is_marked_as_reproducers():
    marked = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "tests").rglob("test_*.py")
        if re.search(r"pytest\.mark\.reproducers", path.read_text())
    }
    named = re.search(r"^REPRODUCERS := (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert set(named[1].split()) == marked


def test_make_alone_lists_every_target():
    phony = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    listed = subprocess.run(
        ["make", "--no-print-directory"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert [line.split()[0] for line in listed.splitlines()] == phony[1].split()


def test_contributing_lists_each_package_and_each_module_outside_of_them():
    tree = re.search(r"^    dpkb/\n(.*?)^    tools/", (ROOT / "CONTRIBUTING.md").read_text(), re.M | re.S)[1]
    listed = re.findall(r"^ {6}((?:\w+(?:\.py|/)(?:, )?)+)", tree, re.M)
    folder = ROOT / "dpkb"
    modules = {path.name for path in folder.glob("*.py")} - {"__init__.py", "__main__.py"}
    packages = {f"{path.parent.name}/" for path in folder.glob("*/*.py")}
    assert {name for names in listed for name in names.split(", ")} == modules | packages


# Records that have no function.
RECORDS = {"errors.py", "run_records.py", "lint/finding.py"}
# Tested by what uses them: CONTRIBUTING.md says where.
BY_THEIR_USE = re.compile(
    r"cli/|lint/rules/|guest/audit/dpkb_audit/(checks/|watch_)|versions/re|output/versions|"
    r"runner/try_releases|(.*/)?__\w+__\.py$"
)


def test_each_module_has_a_test_file_of_its_name():
    missing = []
    for path in (ROOT / "dpkb").rglob("*.py"):
        name = path.relative_to(ROOT / "dpkb").as_posix()
        test = Path(name.replace("guest/audit/dpkb_audit", "guest/audit"))
        if (
            not BY_THEIR_USE.match(name)
            and name not in RECORDS
            and not (ROOT / "tests" / test.with_name(f"test_{test.name}")).is_file()
        ):
            missing.append(name)
    assert not missing, f"who changes them will look for tests/…/test_*.py: {sorted(missing)}"


@pytest.mark.parametrize("folder", ["dpkb/lint/rules", "dpkb/guest/audit/dpkb_audit/checks"])
def test_rules_and_checks_are_named_like_the_files_of_their_entries(folder):
    names = {path.stem for path in (ROOT / folder).iterdir() if not path.name.startswith("_")}
    assert names and names <= {path.stem for path in (ROOT / "kb").glob("*.md")}


def test_no_guest_module_hides_one_of_the_standard_library():
    """The folder of a guest program is on the search path of the interpreter that runs it."""
    modules = {path.stem for path in (ROOT / "dpkb" / "guest").glob("*.py")}
    assert modules and not modules & set(sys.stdlib_module_names)


@pytest.mark.parametrize(
    ("command", "absent"),
    [
        (
            ["search", "bus", "error"],
            ["torch", "rich", "yaml", "markdown_it", "psutil", "re2", "packaging", "mcp", "anyio"],
        ),
        (["show", "DP15"], ["torch", "torchvision", "numpy", "mcp", "anyio"]),
        (["run", "--", "true"], ["torch", "rich", "yaml", "markdown_it", "psutil", "re2", "packaging"]),
    ],
)
def test_a_command_loads_only_what_it_needs(command, absent, tmp_path):
    code = (
        "import sys; from dpkb.cli.main import run_command_line\n"
        "code = run_command_line(sys.argv[1:])\n"
        f"print(code, [m for m in {absent!r} if m in sys.modules], file=sys.stderr)\n"
    )
    for _ in range(2):  # the first builds the index, which reads the entries
        done = subprocess.run(
            [sys.executable, "-c", code, *command], capture_output=True, text=True, cwd=tmp_path, check=True
        )
    assert done.stderr.strip().splitlines()[-1] == "0 []"
