"""`dpkb lint` as a user runs it: files, notebooks, formats, settings, what cannot be read."""

import errno
import json
import os
import subprocess
import sys

import pytest
from support.lint_file import LIST_OF_LAYERS as WRONG

from dpkb.lint.rules import Rule, all_rules

RIGHT = WRONG.replace(
    "[nn.Linear(8, 8) for _ in range(3)]", "nn.ModuleList(nn.Linear(8, 8) for _ in range(3))"
)


@pytest.fixture
def project(tmp_path):
    (tmp_path / "net.py").write_text(WRONG)
    (tmp_path / "right.py").write_text(RIGHT)
    return tmp_path


def test_a_finding_has_its_place_its_line_and_a_fix(dpkb_in_process, project):
    done = dpkb_in_process("lint", "net.py", cwd=project)
    assert done.returncode == 1
    assert "net.py:7:9: N3 certain: `self.layers` is a list of layers" in done.stdout
    assert f"  7 | self.layers = [nn.Linear(8, 8) for _ in range(3)]\n    | {'^' * 49}\n" in done.stdout
    assert "fix: `self.layers = nn.ModuleList(...)`" in done.stdout and "dpkb show N3" in done.stdout


def test_without_findings_the_exit_code_is_0(dpkb_in_process, project):
    done = dpkb_in_process("lint", "right.py", cwd=project)
    assert (done.returncode, done.stdout) == (0, "nothing found in 1 file; --hints looks for more\n")


@pytest.mark.parametrize(
    ("options", "output"),
    [
        ((), "no file was linted\n"),
        (("--fix",), "no file was linted\n"),
        (("--format", "github"), ""),
        (("--output-format", "concise"), ""),
        (("--diff",), ""),
    ],
)
def test_a_folder_without_code_cannot_be_linted(dpkb_in_process, tmp_path, options, output):
    """A wrong path in a CI job must not succeed."""
    (tmp_path / "empty").mkdir()
    done = dpkb_in_process("lint", "empty", *options, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, output)
    assert "no Python files or notebooks in empty" in done.stderr


def test_json_for_a_folder_without_code_says_that_no_file_was_linted(dpkb_in_process, tmp_path):
    (tmp_path / "empty").mkdir()
    done = dpkb_in_process("lint", "empty", "--json", cwd=tmp_path)
    assert done.returncode == 2 and json.loads(done.stdout)["files"] == 0


def test_a_file_that_the_settings_exclude_is_no_error(dpkb_in_process, project):
    """pre-commit names each changed file, also those that the settings exclude."""
    (project / "pyproject.toml").write_text("[tool.dpkb.lint]\nexclude = ['net.py']\n")
    done = dpkb_in_process("lint", "net.py", cwd=project)
    assert (done.returncode, done.stdout) == (0, "no file was linted\n")


def test_json_has_the_shape_of_all_findings(dpkb_in_process, project):
    done = dpkb_in_process("lint", "--json", cwd=project)
    document = json.loads(done.stdout)
    assert done.returncode == 1 and document["version"] == 1 and document["files"] == 2
    [found] = document["findings"]
    assert set(found) == {"id", "title", "certainty", "message", "where", "evidence", "fix", "help"}
    assert found["where"].items() >= {"file": "net.py", "line": 7, "column": 9}.items() and found["title"]


def test_sarif_names_rule_level_and_place(dpkb_in_process, project):
    log = json.loads(dpkb_in_process("lint", "--format", "sarif", cwd=project).stdout)
    [run] = log["runs"]
    [found] = run["results"]
    assert log["version"] == "2.1.0" and run["tool"]["driver"]["rules"][found["ruleIndex"]]["id"] == "N3"
    assert found["level"] == "error"
    place = found["locations"][0]["physicalLocation"]
    assert place == {
        "artifactLocation": {"uri": "net.py"},
        "region": {"startLine": 7, "startColumn": 9, "endColumn": 58},
    }


def test_sarif_has_the_correction(dpkb_in_process, project):
    """Columns count UTF-16 units: the letter before the call is one, though it takes two bytes."""
    (project / "net.py").unlink()
    (project / "next_of_sarif.py").write_text(
        "from torch.utils.data import DataLoader\nit = iter(DataLoader([1]))\n'größe'; it.next()\n", "utf-8"
    )
    log = json.loads(dpkb_in_process("lint", "--format", "sarif", cwd=project).stdout)
    [place] = log["runs"][0]["results"][0]["locations"]
    assert place["physicalLocation"]["region"]["startColumn"] == len("'größe'; ") + 1
    [fix] = log["runs"][0]["results"][0]["fixes"]
    [edit] = fix["artifactChanges"][0]["replacements"]
    region = edit["deletedRegion"]
    line = (project / "next_of_sarif.py").read_text("utf-8").split("\n")[region["startLine"] - 1]
    start, end = region["startColumn"] - 1, region["endColumn"] - 1
    assert line[start:end] == "it.next()" and edit["insertedContent"]["text"] == "next(it)"


def test_github_marks_the_line(dpkb_in_process, project):
    done = dpkb_in_process("lint", "--format", "github", cwd=project)
    assert done.stdout.startswith("::error file=net.py,line=7,col=9,title=N3::")
    assert done.stdout.count("\n") == 1


def test_two_forms_of_a_failure_on_one_line_are_one_finding(dpkb_in_process, tmp_path):
    (tmp_path / "predict.py").write_text(
        "import torch\nfrom torch.utils.data import DataLoader\n\n\n"
        "def predict(model, dataset):\n    test_loader = DataLoader(dataset)\n    model.eval()\n"
        "    for i, (images, size, name) in enumerate(test_loader):\n"
        "        with torch.no_grad():\n            images = images.cuda()\n"
        "        output = model(images)\n        output = output.cpu().data[0].numpy()\n"
    )
    done = dpkb_in_process("lint", "predict.py", cwd=tmp_path)
    assert done.stdout.count("predict.py:11:") == 1, done.stdout


@pytest.mark.parametrize(
    ("comment", "code", "summary"),
    [
        ("# dpkb: ignore[N3]", 0, "1 silenced by comments"),
        ("# dpkb: ignore[DP1, n3]", 0, "1 silenced"),
        ("# dpkb: ignore", 0, "1 silenced"),
        ("# dpkb: ignore[DP1]", 1, "1 finding"),
    ],
)
def test_a_comment_silences_a_finding(dpkb_in_process, project, comment, code, summary):
    (project / "net.py").write_text(WRONG.rstrip("\n") + f"  {comment}\n")
    done = dpkb_in_process("lint", "net.py", cwd=project)
    assert done.returncode == code and summary in done.stdout


@pytest.mark.parametrize(
    ("settings", "options", "code"),
    [
        ('ignore = ["N3"]', (), 0),
        ('select = ["DP1"]', (), 0),
        ('select = ["DP1"]', ("--select", "n3"), 1),
        ('exclude = ["net.py"]', (), 0),
        ("", ("--ignore", "N3"), 0),
        ("hints = true", (), 1),
    ],
)
def test_settings_of_the_project_and_options(dpkb_in_process, project, settings, options, code):
    (project / "pyproject.toml").write_text(f"[tool.dpkb.lint]\n{settings}\n")
    assert dpkb_in_process("lint", *options, cwd=project).returncode == code


def test_invalid_settings_are_refused(dpkb_in_process, project):
    (project / "pyproject.toml").write_text("[tool.dpkb.lint]\nselct = []\n")
    done = dpkb_in_process("lint", cwd=project)
    assert done.returncode == 2 and "has no key selct" in done.stderr and "pyproject.toml" in done.stderr


def test_a_notebook_is_named_by_cell(dpkb_in_process, project):
    cells = [
        {"cell_type": "markdown", "source": ["# Net"]},
        {"cell_type": "code", "source": ["%matplotlib inline\n", "!pip install x\n", "import torch"]},
        {"cell_type": "code", "source": ["%%bash\n", "for i in 1 2; do echo; done"]},
        {"cell_type": "code", "source": [line + "\n" for line in WRONG.split("\n")]},
    ]
    (project / "train.ipynb").write_text(json.dumps({"cells": cells}))
    done = dpkb_in_process("lint", "train.ipynb", cwd=project)
    assert "train.ipynb cell 3:7:9: N3" in done.stdout
    # Readers of these formats count the lines of the file.
    done = dpkb_in_process("lint", "train.ipynb", "--format", "github", cwd=project)
    where, message = done.stdout.split("::")[1:3]
    assert where == "error file=train.ipynb,line=1,col=1,title=N3" and message.startswith("cell 3, line 7: ")


def test_a_notebook_with_a_cell_that_does_not_parse_is_not_clean(dpkb_in_process, project):
    def lint(*cells):
        (project / "train.ipynb").write_text(
            json.dumps(
                {"cells": [{"cell_type": "code", "source": cell} for cell in ("import torch", *cells)]}
            )
        )
        return dpkb_in_process("lint", "train.ipynb", cwd=project)

    done = lint("print(1")
    assert done.returncode == 2 and "nothing found in 1 file; 1 not read" in done.stdout
    assert "train.ipynb: cell 2: line 1: does not parse: '(' was never closed" in done.stderr
    done = lint("print(1", WRONG)
    assert done.returncode == 1 and "train.ipynb cell 3:7:9: N3" in done.stdout and "cell 2" in done.stderr


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("bad.py", b"import torch\ndef f(:\n", "line 2: does not parse"),
        ("bad.ipynb", b'{"torch": 1}', "is not a notebook"),
    ],
)
def test_a_file_that_cannot_be_read_is_reported_in_one_line(dpkb_in_process, project, name, content, reason):
    (project / name).write_bytes(content)
    done = dpkb_in_process("lint", cwd=project)
    assert done.returncode == 1 and "N3" in done.stdout
    assert done.stderr.count("\n") == 1 and name in done.stderr and reason in done.stderr
    assert dpkb_in_process("lint", name, cwd=project).returncode == 2


@pytest.fixture
def failing_rule(project, monkeypatch):
    """A rule that raises on one of the files; another one has a finding, and one cannot be decoded."""

    def fail(file):
        yield from ()
        if file.source.name == "right.py":
            raise IndexError("\x1b")

    rules = {**all_rules(), "ZZ1": Rule("", "", fail)}
    monkeypatch.setattr("dpkb.lint.rules.all_rules", lambda: rules)
    (project / "puny.py").write_text("# coding: punycode\nimport torch\n")


def check_json(text):
    document = json.loads(text)
    [found] = document["findings"]
    [failure] = document["failures"]
    assert found["id"] == "N3" and list(document["unreadable"]) == ["puny.py"]
    assert (failure["file"], failure["rule"]) == ("right.py", "ZZ1")
    assert failure["error"].startswith("IndexError: \\x1b (test_command.py, line ")


def check_sarif(text):
    assert [found["ruleId"] for found in json.loads(text)["runs"][0]["results"]] == ["N3"]


@pytest.mark.parametrize(
    ("options", "check"),
    [
        ((), lambda text: "net.py:7:9: N3" in text and "; 1 not read; 1 failure of dpkb;" in text),
        (("--json",), check_json),
        (("--format", "sarif"), check_sarif),
        (
            ("--format", "github"),
            lambda text: text.startswith("::error file=net.py") and text.count("\n") == 1,
        ),
        (("--statistics",), lambda text: "1 N3    certain" in text),
        (("--diff", "--unsafe-fixes"), lambda text: text.startswith("--- a/net.py")),
        (("--fix", "--unsafe-fixes"), lambda text: text.startswith("nothing found in 2 files")),
    ],
)
@pytest.mark.usefixtures("failing_rule")
def test_a_bug_of_a_rule_is_reported_with_all_that_was_found(dpkb_in_process, project, options, check):
    done = dpkb_in_process("lint", *options, cwd=project)
    assert done.returncode == 3 and check(done.stdout) is not False
    assert "right.py: the rule of ZZ1 failed on it: IndexError" in done.stderr and "\x1b" not in done.stderr
    assert "puny.py: is not text in its declared encoding" in done.stderr
    assert "Traceback" in done.stderr and done.stderr.endswith("Please report the lines above.\n")


@pytest.mark.parametrize("options", [(), ("--diff", "--unsafe-fixes"), ("--format", "github")])
def test_no_control_character_of_a_file_name_reaches_the_terminal(dpkb_in_process, project, options):
    (project / "\x1b[31mbad.py").write_text("import torch\ndef (:\n")
    (project / "net.py").rename(project / "\x1b[31mnet.py")
    done = dpkb_in_process("lint", *options, cwd=project)
    assert done.returncode == 1 and "[31mnet.py" in done.stdout and "\x1b" not in done.stdout + done.stderr
    assert done.stderr.startswith("dpkb: \\x1b[31mbad.py: line 2: does not parse")


def test_a_file_that_cannot_be_read_is_not_counted_as_linted(dpkb_in_process, project):
    (project / "net.py").write_text("import torch\ndef (:\n")
    (project / "bad.ipynb").write_text('{"torch": 1}')
    done = dpkb_in_process("lint", cwd=project)
    assert done.stdout == "nothing found in 1 file; 2 not read; --hints looks for more\n"
    assert json.loads(dpkb_in_process("lint", "--json", cwd=project).stdout)["files"] == 1
    assert done.returncode == 0
    (project / "right.py").unlink()
    done = dpkb_in_process("lint", ".", cwd=project)
    assert (done.returncode, done.stdout) == (2, "no file was linted; 2 not read\n")
    assert "no Python files" not in done.stderr


def test_a_diff_says_in_its_help_that_it_is_only_about_what_can_be_fixed(dpkb_in_process, project):
    # This finding of N3 has no correction: the keys are numbers.
    (project / "net.py").write_text(
        WRONG.replace("[nn.Linear(8, 8) for _ in range(3)]", "{0: nn.Linear(8, 8)}")
    )
    assert dpkb_in_process("lint", "net.py", cwd=project).returncode == 1
    done = dpkb_in_process("lint", "--diff", "net.py", cwd=project)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == (
        "dpkb: 0 findings in 0 files can be fixed; 1 finding cannot: see it without --diff\n"
    )
    shown = " ".join(dpkb_in_process("lint", "--help").stdout.replace("│", " ").split())
    assert "Only print the patch that --fix would apply. Returns 1 if there is one." in shown


def test_the_paths_of_a_diff_are_relative(dpkb_in_process, project):
    """`git apply` and `patch -p1` take no others."""
    absolute = str(project / "net.py")
    diff = ("lint", "--diff", "--unsafe-fixes", absolute)
    assert "--- a/net.py\n+++ b/net.py\n" in dpkb_in_process(*diff, cwd=project).stdout
    assert f"--- a{absolute}\n" in dpkb_in_process(*diff).stdout


def test_a_diff_names_files_that_cannot_be_read(dpkb_in_process, project):
    (project / "bad.py").write_text("import torch\ndef (:\n")
    done = dpkb_in_process("lint", "--diff", "bad.py", cwd=project)
    assert (done.returncode, done.stdout) == (2, "") and "bad.py: line 2: does not parse" in done.stderr
    assert "can be fixed" not in done.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_cannot_be_read(dpkb_in_process, project):
    (project / "private").mkdir(mode=0)
    done = dpkb_in_process("lint", "private", cwd=project)
    assert done.returncode == 2 and "private: cannot be read: Permission denied" in done.stderr


@pytest.mark.parametrize(("path", "code"), [("private", 2), (".", 1)])
def test_a_folder_that_must_not_be_entered_is_no_bug(dpkb_in_process, project, monkeypatch, path, code):
    """Root may enter every folder, so a test has to refuse it."""

    def refuse(name, **more):
        if "private/" in str(name):
            raise PermissionError(errno.EACCES, "Permission denied", name)
        return stat(name, **more)

    stat = os.stat
    (project / "private").mkdir()
    monkeypatch.setattr(os, "stat", refuse)
    assert dpkb_in_process("lint", path, cwd=project).returncode == code


CALL = """import torch


def run(inputs):
    net = torch.nn.utils.weight_norm(torch.nn.Linear(2, 2))
    return (net).forward(inputs)
"""


@pytest.mark.parametrize("head", ["", "# coding: future_fstrings\n"])
def test_a_diff_keeps_parentheses_and_reads_unknown_codecs_as_utf_8(dpkb_in_process, project, head):
    (project / "call.py").write_text(head + CALL)
    done = dpkb_in_process("lint", "--diff", "--unsafe-fixes", "call.py", cwd=project)
    assert done.returncode == 1 and "+    return (net)(inputs)\n" in done.stdout


def test_a_link_to_a_folder_above_does_not_loop_for_ever(dpkb_in_process, project):
    os.symlink(project, project / "again")
    done = dpkb_in_process("lint", cwd=project)
    assert done.returncode == 1 and done.stdout.count("N3 certain") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nowhere.py",), "nowhere.py: there is no such file"),
        (("--select", "ZZ9"), "lint has no rule for ZZ9; it has rules for A1,"),
        (("-",), "-: there is no such file or folder; write /dev/stdin to lint standard input"),
        (("--explain", ""), "lint has no rule for an empty id; it has rules for A1,"),
        (("--kb", "nowhere"), "nowhere is not a catalogue"),
        (("--format", "xml"), "must be one of text, concise, json, sarif, github"),
    ],
)
def test_invalid_arguments_are_refused(dpkb_in_process, project, arguments, message):
    done = dpkb_in_process("lint", *arguments, cwd=project)
    assert done.returncode == 2 and message in done.stderr


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("--diff", "--format", "sarif"), ("--diff", "--format")),
        (("--diff", "--json"), ("--diff", "--json")),
        (("--diff", "--statistics"), ("--diff", "--statistics")),
        (("--statistics", "--format", "github"), ("--statistics", "--format")),
        (("--json", "--format", "sarif"), ("--json", "--format")),
    ],
)
def test_two_output_options_contradict_each_other(dpkb_in_process, project, arguments, named):
    done = dpkb_in_process("lint", *arguments, cwd=project)
    one, other = named
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{one} and {other} contradict each other" in done.stderr


def test_json_and_format_json_may_be_given_together(dpkb_in_process, project):
    done = dpkb_in_process("lint", "--json", "--format", "json", cwd=project)
    assert done.returncode == 1 and json.loads(done.stdout)["files"] == 2


def test_unsafe_fixes_need_an_option_that_fixes(dpkb_in_process, project):
    done = dpkb_in_process("lint", "--unsafe-fixes", cwd=project)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--unsafe-fixes has no effect by itself: add --fix or --diff" in done.stderr
    assert dpkb_in_process("lint", "--unsafe-fixes", "--diff", cwd=project).returncode == 1


def test_a_class_of_another_file_is_known(dpkb_in_process, project):
    package = project / "src" / "data"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("from .stream import Stream  # torch\n")
    (package / "stream.py").write_text(
        "from torch.utils.data import IterableDataset\n\n\n"
        "class Stream(IterableDataset):\n"
        "    def __iter__(self):\n        return iter(range(8))\n"
    )
    (project / "train.py").write_text(
        "from torch.utils.data import DataLoader\nfrom data import Stream\n\n"
        "loader = DataLoader(Stream(), num_workers=4, drop_last=True)\n"
    )
    assert "train.py:4:" in dpkb_in_process("lint", "--select", "DP16", cwd=project).stdout


def test_several_processes_find_the_same_as_one(dpkb, project):
    for number in range(130):
        (project / f"net{number:03}.py").write_text(WRONG)
    outputs = [dpkb("lint", "--jobs", jobs, cwd=project).stdout for jobs in (1, 3)]
    assert outputs[0] == outputs[1] and outputs[0].count("N3 certain") == 131


def test_explain_and_statistics(dpkb_in_process, project):
    assert "Looks for:" in dpkb_in_process("lint", "--explain", "n3", cwd=project).stdout
    assert "1 N3    certain" in dpkb_in_process("lint", "--statistics", cwd=project).stdout


@pytest.mark.skipif(os.name != "posix", reason="/dev/stdin")
@pytest.mark.parametrize("option", ["--fix", "--diff"])
def test_a_pipe_is_linted_but_not_corrected(option):
    command = [sys.executable, "-m", "dpkb", "lint", "/dev/stdin"]
    program = "import torch\n"
    assert subprocess.run(command, input=program, text=True, check=False).returncode == 0
    done = subprocess.run([*command, option], input=program, text=True, capture_output=True, check=False)
    assert done.returncode == 2
    assert done.stderr == (
        "dpkb: /dev/stdin is a pipe, which --fix and --diff cannot correct: write it to a file\n"
    )
